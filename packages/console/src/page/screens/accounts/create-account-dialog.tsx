import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { request } from '../../api/request.ts'
import { english } from '../../english.ts'
import { SecretDialog } from '../../ui/secret-dialog.tsx'
import type { NewAccount } from './account.ts'
import { emptyDraft, toBody } from './account-draft.ts'
import { AccountFormDialog } from './account-form-dialog.tsx'

const t = english.accounts

export function CreateAccountDialog({
  onMade,
  onClose,
}: {
  onMade: () => void
  onClose: () => void
}): JSX.Element {
  const [made, setMade] = useState<NewAccount>()
  if (made !== undefined) {
    return (
      <SecretDialog
        title={t.made(made.account.name)}
        secret={made.api_key}
        about={t.secretAbout}
        onClose={onClose}
      />
    )
  }
  return (
    <AccountFormDialog
      title={t.create}
      verb={t.create}
      draft={emptyDraft}
      act={async (draft) => {
        const body = toBody(draft)
        const { data } = await request<NewAccount>('accounts', { method: 'POST', body })
        // A dialog with the secret replaces this one.
        setMade(data)
        onMade()
      }}
      onClose={onClose}
    />
  )
}

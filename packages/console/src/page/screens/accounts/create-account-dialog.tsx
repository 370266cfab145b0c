import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { request } from '../../api/request.ts'
import { english } from '../../english.ts'
import { NameDialog } from '../../ui/name-dialog.tsx'
import { SecretDialog } from '../../ui/secret-dialog.tsx'
import type { NewAccount } from './account.ts'

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
    <NameDialog
      title={t.create}
      verb={t.create}
      label={t.name}
      name=""
      act={async (name) => {
        const { data } = await request<NewAccount>('accounts', { method: 'POST', body: { name } })
        setMade(data)
        onMade()
      }}
      // A dialog with the secret replaces this one.
      onDone={() => {}}
      onClose={onClose}
    />
  )
}

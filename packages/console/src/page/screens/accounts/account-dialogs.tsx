import type { JSX } from 'preact'
import { request } from '../../api/request.ts'
import { english } from '../../english.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { toast } from '../../ui/toasts.tsx'
import type { Account } from './account.ts'
import { toChanges, toDraft } from './account-draft.ts'
import { AccountFormDialog } from './account-form-dialog.tsx'

const t = english.accounts

export interface AskedOfAccount {
  verb: 'edit' | 'disable' | 'enable' | 'delete'
  account: Account
}

/** The dialogs for changes of an account. */
export function AccountDialogs({
  asked: { verb, account },
  onChanged,
  onClose,
}: {
  asked: AskedOfAccount
  onChanged: () => void
  onClose: () => void
}): JSX.Element {
  const path = `accounts/${account.id}`
  const change = async (body: object) => {
    await request(path, { method: 'PATCH', body })
    toast(english.words.saved)
    onChanged()
  }
  const remove = async () => {
    await request(path, { method: 'DELETE', body: { name: account.name } })
    toast(t.deleted(account.name))
    onChanged()
  }
  if (verb === 'edit') {
    return (
      <AccountFormDialog
        title={t.edit(account.name)}
        verb={english.words.save}
        draft={toDraft(account)}
        act={async (draft) => {
          await change(toChanges(draft, account))
          onClose()
        }}
        onClose={onClose}
      />
    )
  }
  if (verb === 'delete') {
    return (
      <ConfirmDialog
        title={t.delete(account.name)}
        verb={english.words.delete}
        typedName={account.name}
        act={remove}
        onClose={onClose}
      >
        <p>{t.deleteText}</p>
      </ConfirmDialog>
    )
  }
  const isDisabling = verb === 'disable'
  return (
    <ConfirmDialog
      title={isDisabling ? t.disable(account.name) : t.enable(account.name)}
      verb={isDisabling ? t.disableVerb : t.enableVerb}
      isDangerous={isDisabling}
      act={() => change({ is_disabled: isDisabling })}
      onClose={onClose}
    >
      <p>{isDisabling ? t.disableText : t.enableText}</p>
    </ConfirmDialog>
  )
}

import type { JSX } from 'preact'
import { english } from '../../english.ts'
import { NewUserDialog } from './new-user-dialog.tsx'
import { toNewUser } from './user-draft.ts'

const t = english.users

export function CreateUserDialog(props: { accountId: string; onClose: () => void }): JSX.Element {
  return (
    <NewUserDialog
      {...props}
      path="api/client/user"
      title={t.create}
      toBody={toNewUser}
      toMessage={({ name }) => t.made(name)}
    />
  )
}

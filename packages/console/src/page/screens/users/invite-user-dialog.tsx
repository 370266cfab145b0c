import type { JSX } from 'preact'
import { english } from '../../english.ts'
import { NewUserDialog } from './new-user-dialog.tsx'
import { toInvitedUser } from './user-draft.ts'

const t = english.users

/** Creates a user who sets their own password, and mails them how. */
export function InviteUserDialog(props: { accountId: string; onClose: () => void }): JSX.Element {
  return (
    <NewUserDialog
      {...props}
      path="api/client/user/invite"
      title={t.invite}
      toBody={toInvitedUser}
      toMessage={({ email }) => t.invited(email)}
      isInvited
    >
      <p class="muted">{t.inviteText}</p>
    </NewUserDialog>
  )
}

import type { ClientUser } from '@clientele/client'
import type { JSX } from 'preact'
import { request } from '../../api/request.ts'
import { useAction } from '../../api/use-action.ts'
import { english } from '../../english.ts'
import { useAccountId } from '../../session/use-access.ts'
import { Button } from '../../ui/button.tsx'
import { ProblemNotice } from '../../ui/problem-notice.tsx'
import { toast } from '../../ui/toasts.tsx'

const t = english.user

/** Mails an invitation to a user who has not accepted one. */
export function InvitationButton({
  user,
  onSent,
}: {
  user: ClientUser
  onSent: () => void
}): JSX.Element {
  const accountId = useAccountId()
  const send = useAction(async () => {
    const path = `api/client/user/${user.id}/invite`
    await request(path, { method: 'POST', accountId, body: {} })
    toast(english.users.invited(user.email))
    onSent()
  })
  return (
    <>
      <Button isBusy={send.isRunning} onClick={send.run}>
        {t.invite}
      </Button>
      <ProblemNotice problem={send.problem} />
    </>
  )
}

import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import type { Problem } from '../api/problem.ts'
import { useAction } from '../api/use-action.ts'
import { english } from '../english.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Notice, ProblemNotice } from '../ui/problem-notice.tsx'
import { askHost, type Session } from './session.ts'
import { SignInForm } from './sign-in-form.tsx'

const t = english.signIn
/** Limits the retries if the host authorizes a person but the requests are still refused. */
const askEveryMs = 10_000
let askedAt = Number.NEGATIVE_INFINITY

/** Asks the user to sign in again, above the unchanged page. */
export function EndedDialog({
  session,
  problem,
}: {
  session: Session
  problem: Problem | undefined
}): JSX.Element {
  const host = useAction(askHost)
  useEffect(() => {
    const now = performance.now()
    if (!session.can_authorize || now - askedAt < askEveryMs) return
    askedAt = now
    host.run()
  }, [])
  return (
    <Dialog title={t.ended} mayLeave>
      <div class="dialog-body">
        <p>{t.endedText}</p>
        {session.can_authorize && (
          <>
            {host.problem?.code === 'console_session_missing' ? (
              <Notice kind="warn">{t.notVouched}</Notice>
            ) : (
              <ProblemNotice problem={host.problem} />
            )}
            <Button icon="refresh" isBusy={host.isRunning} onClick={host.run}>
              {english.words.tryAgain}
            </Button>
          </>
        )}
        <SignInForm problem={problem} />
      </div>
    </Dialog>
  )
}

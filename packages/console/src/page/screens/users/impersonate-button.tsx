import type { Impersonation } from '@clientele/client'
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { request } from '../../api/request.ts'
import { useAction } from '../../api/use-action.ts'
import { english } from '../../english.ts'
import { useAccountId } from '../../session/use-access.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { SecretDialog } from '../../ui/secret-dialog.tsx'

const t = english.user

interface Props {
  userId: string
  onOpened: () => void
}

/** Gets a token for a person who acts as the user, after asking who it is and why. */
export function ImpersonateButton(props: Props): JSX.Element {
  const [isAsked, setAsked] = useState(false)
  return (
    <>
      <Button onClick={() => setAsked(true)}>{t.impersonate}</Button>
      {isAsked && <ImpersonateDialog {...props} onClose={() => setAsked(false)} />}
    </>
  )
}

function ImpersonateDialog({
  userId,
  onOpened,
  onClose,
}: Props & { onClose: () => void }): JSX.Element {
  const accountId = useAccountId()
  const [actor, setActor] = useState('')
  const [reason, setReason] = useState('')
  const [token, setToken] = useState<string>()
  const action = useAction(async () => {
    const path = `api/client/user/${userId}/impersonate`
    const body = { actor, reason }
    const { data } = await request<Impersonation>(path, { method: 'POST', accountId, body })
    setToken(data.token)
    onOpened()
  })
  if (token !== undefined)
    return (
      <SecretDialog
        title={t.impersonated}
        secret={token}
        about={t.impersonatedAbout}
        onClose={onClose}
      />
    )
  const { problem } = action
  return (
    <FormDialog
      title={t.impersonate}
      verb={t.impersonate}
      action={action}
      onSubmit={action.run}
      onClose={onClose}
      checksInBrowser
    >
      <p>{t.impersonateText}</p>
      <TextField
        label={t.impersonateActor}
        hint={t.impersonateActorHint}
        value={actor}
        onValue={setActor}
        issue={problem?.issueOf('actor')}
        autofocus
        required
      />
      <TextField
        label={t.impersonateReason}
        hint={t.impersonateReasonHint}
        value={reason}
        onValue={setReason}
        issue={problem?.issueOf('reason')}
        autocomplete="off"
        required
      />
    </FormDialog>
  )
}

import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { request } from '../../api/request.ts'
import { english } from '../../english.ts'
import { useAccountId } from '../../session/use-access.ts'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { toast } from '../../ui/toasts.tsx'

const t = english.user

/** Makes a user choose another password at the next sign-in with it. */
export function ExpirePasswordButton({
  userId,
  onExpired,
}: {
  userId: string
  onExpired: () => void
}): JSX.Element {
  const accountId = useAccountId()
  const [isAsked, setAsked] = useState(false)
  const expire = async () => {
    await request(`api/client/user/${userId}/password/expire`, { method: 'POST', accountId })
    toast(t.expiredPassword)
    onExpired()
  }
  return (
    <>
      <Button onClick={() => setAsked(true)}>{t.expirePassword}</Button>
      {isAsked && (
        <ConfirmDialog
          title={t.expirePassword}
          verb={t.expirePassword}
          act={expire}
          onClose={() => setAsked(false)}
        >
          <p>{t.expirePasswordText}</p>
        </ConfirmDialog>
      )}
    </>
  )
}

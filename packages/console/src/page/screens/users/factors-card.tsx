import type { TwoFactorState } from '@clientele/client'
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { request } from '../../api/request.ts'
import { useResource } from '../../api/use-resource.ts'
import { english } from '../../english.ts'
import { useAccess, useAccountId } from '../../session/use-access.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { toast } from '../../ui/toasts.tsx'
import { type UserCardProps, useReloadAfter } from './use-reload-after.ts'

const t = english.user.factors

/** Shows which second factors the user has, never their secrets. */
export function FactorsCard({ userId, changes, onChanged }: UserCardProps): JSX.Element {
  const accountId = useAccountId()
  const mayWrite = useAccess().can('users:write')
  const path = `api/client/user/${userId}/two-factor`
  const factors = useResource<TwoFactorState>(path, { accountId })
  useReloadAfter(changes, factors)
  const [isRemoving, setRemoving] = useState(false)
  const remove = async () => {
    await request(path, { method: 'DELETE', accountId })
    toast(t.removed)
    onChanged()
  }
  const hasAny = factors.data?.totp || factors.data?.email
  return (
    <Card
      title={t.title}
      actions={mayWrite && hasAny && <Button onClick={() => setRemoving(true)}>{t.remove}</Button>}
    >
      <Loaded resource={factors}>
        {({ totp, email, recovery_codes_left: left }) =>
          totp || email ? (
            <dl class="facts">
              <dt>{t.totp}</dt>
              <dd>
                <OnOff isOn={totp} />
              </dd>
              <dt>{t.email}</dt>
              <dd>
                <OnOff isOn={email} />
              </dd>
              <dt>{t.recoveryCodes}</dt>
              <dd>{t.left(left)}</dd>
            </dl>
          ) : (
            <p class="muted">{t.none}</p>
          )
        }
      </Loaded>
      {isRemoving && (
        <ConfirmDialog
          title={t.remove}
          verb={t.remove}
          act={remove}
          onClose={() => setRemoving(false)}
        >
          <p>{t.removeText}</p>
        </ConfirmDialog>
      )}
    </Card>
  )
}

function OnOff({ isOn }: { isOn: boolean }): JSX.Element {
  return <Badge kind={isOn ? 'good' : 'plain'}>{isOn ? t.on : t.off}</Badge>
}

import type { DeviceList } from '@clientele/client'
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { request } from '../../api/request.ts'
import { useAction } from '../../api/use-action.ts'
import { useResource } from '../../api/use-resource.ts'
import { english } from '../../english.ts'
import { useAccess, useAccountId } from '../../session/use-access.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { ProblemNotice } from '../../ui/problem-notice.tsx'
import { Time } from '../../ui/time.tsx'
import { toast } from '../../ui/toasts.tsx'
import { type UserCardProps, useReloadAfter } from './use-reload-after.ts'

const t = english.user.devices

export function DevicesCard({ userId, changes, onChanged }: UserCardProps): JSX.Element {
  const accountId = useAccountId()
  const mayWrite = useAccess().can('users:write')
  const path = `api/client/user/${userId}/device`
  const devices = useResource<DeviceList>(path, { accountId })
  useReloadAfter(changes, devices)
  const [isForgettingAll, setForgettingAll] = useState(false)
  const forgetAll = async () => {
    await request(path, { method: 'DELETE', accountId })
    toast(t.forgotAll)
    onChanged()
  }
  const forget = useAction(async (id: string) => {
    await request(`${path}/${id}`, { method: 'DELETE', accountId })
    toast(t.forgot)
    onChanged()
  })
  const count = devices.data?.data.length ?? 0
  return (
    <Card
      title={t.title}
      actions={
        mayWrite &&
        count > 1 && <Button onClick={() => setForgettingAll(true)}>{t.forgetAll}</Button>
      }
    >
      <ProblemNotice problem={forget.problem} />
      <Loaded resource={devices}>
        {({ data }) =>
          data.length === 0 ? (
            <p class="muted">{t.none}</p>
          ) : (
            <ul class="items">
              {data.map((device) => (
                <li key={device.id}>
                  <div class="identity">
                    <strong>{device.name ?? t.unnamed}</strong>
                    <span class="muted">
                      {t.used} <Time at={device.last_used_at} />, {t.until}{' '}
                      <Time at={device.expires_at} />
                    </span>
                  </div>
                  {mayWrite && <Button onClick={() => forget.run(device.id)}>{t.forget}</Button>}
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      {isForgettingAll && (
        <ConfirmDialog
          title={t.forgetAll}
          verb={t.forgetAll}
          act={forgetAll}
          onClose={() => setForgettingAll(false)}
        >
          <p>{t.forgetAllText}</p>
        </ConfirmDialog>
      )}
    </Card>
  )
}

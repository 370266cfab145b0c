import type { Identity, IdentityList } from '@clientele/client'
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { request } from '../../api/request.ts'
import { useResource } from '../../api/use-resource.ts'
import { english } from '../../english.ts'
import { useAccess, useAccountId } from '../../session/use-access.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Time } from '../../ui/time.tsx'
import { toast } from '../../ui/toasts.tsx'
import { type UserCardProps, useReloadAfter } from './use-reload-after.ts'

const t = english.user.identities

/** The user's identities at other issuers. */
export function IdentitiesCard({ userId, changes, onChanged }: UserCardProps): JSX.Element {
  const accountId = useAccountId()
  const mayWrite = useAccess().can('users:write')
  const path = `api/client/user/${userId}/identity`
  const identities = useResource<IdentityList>(path, { accountId })
  useReloadAfter(changes, identities)
  const [asked, setAsked] = useState<Identity>()
  const unlink = async () => {
    await request(`${path}/${asked?.id}`, { method: 'DELETE', accountId })
    toast(t.unlinked)
    onChanged()
  }
  return (
    <Card title={t.title}>
      <Loaded resource={identities}>
        {({ data }) =>
          data.length === 0 ? (
            <p class="muted">{t.none}</p>
          ) : (
            <ul class="items">
              {data.map((identity) => (
                <li key={identity.id}>
                  <div class="identity">
                    <strong>{identity.issuer}</strong>
                    <code>{identity.subject}</code>
                    <span class="muted">
                      {t.used} <Time at={identity.last_used_at} />, {t.linked}{' '}
                      <Time at={identity.created_at} />
                    </span>
                  </div>
                  {mayWrite && <Button onClick={() => setAsked(identity)}>{t.unlink}</Button>}
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      {asked && (
        <ConfirmDialog
          title={t.unlinkTitle}
          verb={t.unlink}
          act={unlink}
          onClose={() => setAsked(undefined)}
        >
          <p>{t.unlinkText(asked.issuer)}</p>
        </ConfirmDialog>
      )}
    </Card>
  )
}

import type { SessionList } from '@clientele/client'
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
import { nameMethod } from './name-method.ts'
import { type UserCardProps, useReloadAfter } from './use-reload-after.ts'

const t = english.user.sessions

export function SessionsCard({ userId, changes, onChanged }: UserCardProps): JSX.Element {
  const accountId = useAccountId()
  const mayWrite = useAccess().can('users:write')
  const path = `api/client/user/${userId}/session`
  const sessions = useResource<SessionList>(path, { accountId })
  useReloadAfter(changes, sessions)
  const [isEndingAll, setEndingAll] = useState(false)
  const endAll = async () => {
    await request(path, { method: 'DELETE', accountId })
    toast(t.endedAll)
    onChanged()
  }
  const end = useAction(async (id: string) => {
    await request(`${path}/${id}`, { method: 'DELETE', accountId })
    toast(t.ended)
    onChanged()
  })
  const count = sessions.data?.data.length ?? 0
  return (
    <Card
      title={t.title}
      actions={
        mayWrite && count > 1 && <Button onClick={() => setEndingAll(true)}>{t.endAll}</Button>
      }
    >
      <ProblemNotice problem={end.problem} />
      <Loaded resource={sessions}>
        {({ data }) =>
          data.length === 0 ? (
            <p class="muted">{t.none}</p>
          ) : (
            <ul class="items">
              {data.map((session) => (
                <li key={session.id}>
                  <div class="identity">
                    <strong>
                      {t.used} <Time at={session.last_used_at} />
                    </strong>
                    <span class="muted">
                      {t.signedIn} <Time at={session.created_at} />
                      {', '}
                      {session.impersonated_by === null
                        ? t.by(session.amr.map(nameMethod))
                        : t.impersonatedBy(session.impersonated_by)}
                    </span>
                  </div>
                  {mayWrite && <Button onClick={() => end.run(session.id)}>{t.end}</Button>}
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      {isEndingAll && (
        <ConfirmDialog
          title={t.endAll}
          verb={t.endAll}
          act={endAll}
          onClose={() => setEndingAll(false)}
        >
          <p>{t.endAllText}</p>
        </ConfirmDialog>
      )}
    </Card>
  )
}

import type { ClientUser } from '@clientele/client'
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { request } from '../../api/request.ts'
import { useAction } from '../../api/use-action.ts'
import { useResource } from '../../api/use-resource.ts'
import { english } from '../../english.ts'
import { useAccess, useAccountId } from '../../session/use-access.ts'
import { BackLink } from '../../ui/back-link.tsx'
import { Button } from '../../ui/button.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { ProblemNotice } from '../../ui/problem-notice.tsx'
import { Empty } from '../../ui/states.tsx'
import { toast } from '../../ui/toasts.tsx'
import { DevicesCard } from './devices-card.tsx'
import { EditUserDialog } from './edit-user-dialog.tsx'
import { FactorsCard } from './factors-card.tsx'
import { IdentitiesCard } from './identities-card.tsx'
import { PasskeysCard } from './passkeys-card.tsx'
import { PersonalDataCard } from './personal-data-card.tsx'
import { SessionsCard } from './sessions-card.tsx'
import { TimelineCard } from './timeline-card.tsx'
import { TokensCard } from './tokens-card.tsx'
import { UserFacts } from './user-facts.tsx'
import { hrefOfList } from './users-query.ts'

const t = english.user

export function UserScreen({ id }: { id: string }): JSX.Element {
  const accountId = useAccountId()
  const access = useAccess()
  const user = useResource<ClientUser>(`api/client/user/${encodeURIComponent(id)}`, { accountId })
  // Each change has made an event.
  const [changes, setChanges] = useState(0)
  const onChanged = () => setChanges((count) => count + 1)
  const { data, etag } = user
  const back = <BackLink href={hrefOfList(accountId)} label={english.users.title} />
  if (user.problem?.code === 'user_not_found') {
    return (
      <>
        {back}
        <PageHead title={t.title} />
        <Empty icon="users" title={t.notFound}>
          {t.notFoundText}
        </Empty>
      </>
    )
  }
  return (
    <>
      {back}
      <PageHead
        title={data?.name ?? t.title}
        actions={
          data &&
          access.can('users:write') && (
            <UserActions
              user={data}
              etag={etag}
              onUser={(answer) => {
                user.set(answer)
                onChanged()
              }}
            />
          )
        }
      >
        {data?.email}
      </PageHead>
      <Loaded resource={user}>
        {(found) => (
          <div class="user-page">
            <div class="stack">
              <UserFacts user={found} changes={changes} onChanged={onChanged} />
              {access.can('events:read') && <TimelineCard userId={id} changes={changes} />}
            </div>
            <div class="stack">
              <SessionsCard userId={id} changes={changes} onChanged={onChanged} />
              <FactorsCard userId={id} changes={changes} onChanged={onChanged} />
              <PasskeysCard userId={id} changes={changes} onChanged={onChanged} />
              <DevicesCard userId={id} changes={changes} onChanged={onChanged} />
              <TokensCard userId={id} changes={changes} onChanged={onChanged} />
              <IdentitiesCard userId={id} changes={changes} onChanged={onChanged} />
              <PersonalDataCard user={found} onChanged={onChanged} />
            </div>
          </div>
        )}
      </Loaded>
    </>
  )
}

interface UserAnswer {
  data: ClientUser
  etag: string | undefined
}

function UserActions({
  user,
  etag,
  onUser,
}: {
  user: ClientUser
  etag: string | undefined
  onUser: (answer: UserAnswer) => void
}): JSX.Element {
  const accountId = useAccountId()
  const [isEditing, setEditing] = useState(false)
  const verb = user.is_active ? 'deactivate' : 'activate'
  const toggle = useAction(async () => {
    const path = `api/client/user/${user.id}/${verb}`
    onUser(await request<ClientUser>(path, { method: 'POST', accountId }))
    toast(verb === 'activate' ? t.activated : t.deactivated)
  })
  return (
    <>
      <ProblemNotice problem={toggle.problem} />
      <Button isBusy={toggle.isRunning} onClick={toggle.run}>
        {verb === 'activate' ? t.activate : t.deactivate}
      </Button>
      <Button kind="primary" icon="edit" onClick={() => setEditing(true)}>
        {english.words.edit}
      </Button>
      {isEditing && (
        <EditUserDialog
          accountId={accountId}
          user={user}
          etag={etag}
          onSaved={onUser}
          onClose={() => setEditing(false)}
        />
      )}
    </>
  )
}

import type { ClientUser, EmailVerification } from '@clientele/client'
import type { JSX } from 'preact'
import { useResource } from '../../api/use-resource.ts'
import { english } from '../../english.ts'
import { useAccess, useAccountId } from '../../session/use-access.ts'
import { Badge } from '../../ui/badge.tsx'
import { Card } from '../../ui/card.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Time } from '../../ui/time.tsx'
import { ExpirePasswordButton } from './expire-password-button.tsx'
import { ImpersonateButton } from './impersonate-button.tsx'
import { InvitationButton } from './invitation-button.tsx'
import { useReloadAfter } from './use-reload-after.ts'
import { UserState } from './users-table.tsx'

const t = english.user

/** The names at the identity provider: those of SCIM */
interface ScimNames {
  user_name: string
  external_id: string | null
}

/** A user's eight fields, and whether the address is verified. */
export function UserFacts({
  user,
  changes,
  onChanged,
}: {
  user: ClientUser
  changes: number
  onChanged: () => void
}): JSX.Element {
  const accountId = useAccountId()
  const access = useAccess()
  const mayWrite = access.can('users:write')
  const verification = useResource<EmailVerification>(
    `api/client/user/${user.id}/email/verification`,
    { accountId },
  )
  const names = useResource<ScimNames>(`scim-names/${user.id}`, { accountId })
  useReloadAfter(changes, names)
  // A changed address has its own verification.
  useReloadAfter(changes, verification)
  const verifiedAt = verification.data?.email_verified_at
  const metadata = Object.entries(user.metadata)
  return (
    <Card
      title={t.facts}
      actions={
        <>
          <UserState isActive={user.is_active} />
          {access.can('users:impersonate') && user.is_active && (
            <ImpersonateButton userId={user.id} onOpened={onChanged} />
          )}
          {mayWrite && <ExpirePasswordButton userId={user.id} onExpired={onChanged} />}
        </>
      }
    >
      <dl class="facts">
        <dt>{english.users.email}</dt>
        <dd class="row">
          {user.email}
          {verifiedAt === null && <Badge kind="warn">{t.unverified}</Badge>}
          {verifiedAt === null && mayWrite && user.is_active && (
            <InvitationButton user={user} onSent={onChanged} />
          )}
          {verifiedAt && (
            <Badge kind="good">
              {t.verified} <Time at={verifiedAt} />
            </Badge>
          )}
        </dd>
        <dt>{english.users.name}</dt>
        <dd>{user.name}</dd>
        {names.data && names.data.user_name !== user.email && (
          <>
            <dt>{t.userName}</dt>
            <dd>{names.data.user_name}</dd>
          </>
        )}
        {names.data?.external_id && (
          <>
            <dt>{t.externalId}</dt>
            <dd>
              <code>{names.data.external_id}</code>
            </dd>
          </>
        )}
        <dt>{english.users.roles}</dt>
        <dd class="row tight">
          {user.roles.length === 0 && <span class="muted">{t.noRoles}</span>}
          {user.roles.map((role) => (
            <Badge key={role}>{role}</Badge>
          ))}
        </dd>
        <dt>{english.users.metadata}</dt>
        <dd>
          {metadata.length === 0 && <span class="muted">{t.noMetadata}</span>}
          <dl class="metadata">
            {metadata.map(([key, value]) => (
              <div key={key}>
                <dt>
                  <code>{key}</code>
                </dt>
                <dd>
                  <code>{typeof value === 'string' ? value : JSON.stringify(value)}</code>
                </dd>
              </div>
            ))}
          </dl>
        </dd>
        <dt>{t.createdAt}</dt>
        <dd>
          <Time at={user.created_at} />
        </dd>
        <dt>{t.updatedAt}</dt>
        <dd>
          <Time at={user.updated_at} />
        </dd>
        <dt>{t.id}</dt>
        <dd class="row">
          <code>{user.id}</code>
          <CopyButton text={user.id} label={t.copyId} isIconOnly />
        </dd>
      </dl>
    </Card>
  )
}

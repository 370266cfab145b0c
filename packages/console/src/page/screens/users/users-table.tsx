import type { ClientUser } from '@clientele/client'
import type { JSX } from 'preact'
import { english } from '../../english.ts'
import { toHref } from '../../routing/route.ts'
import { useAccountId } from '../../session/use-access.ts'
import { Badge } from '../../ui/badge.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { Time } from '../../ui/time.tsx'
import { goTo, readSort, type UsersQuery } from './users-query.ts'

const t = english.users

export function UsersTable({
  users,
  shown,
  isStale,
}: {
  users: readonly ClientUser[]
  shown: UsersQuery
  isStale: boolean
}): JSX.Element {
  const accountId = useAccountId()
  const columns: Column<ClientUser>[] = [
    {
      key: 'name',
      label: t.name,
      sort: { ascending: 'name', descending: '-name' },
      cell: (user) => (
        <div class="identity">
          <a href={toHref(['a', accountId, 'users', user.id])}>{user.name}</a>
          <span class="muted narrow-only">{user.email}</span>
        </div>
      ),
    },
    {
      key: 'email',
      label: t.email,
      isWideOnly: true,
      sort: { ascending: 'email', descending: '-email' },
      cell: (user) => user.email,
    },
    {
      key: 'roles',
      label: t.roles,
      isWideOnly: true,
      cell: (user) => <Roles roles={user.roles} />,
    },
    {
      key: 'state',
      label: t.state,
      cell: (user) => <UserState isActive={user.is_active} />,
    },
    {
      key: 'created',
      label: t.created,
      isWideOnly: true,
      sort: { ascending: 'created_at', descending: '-created_at' },
      cell: (user) => <Time at={user.created_at} />,
    },
  ]
  return (
    <DataTable
      caption={t.title}
      columns={columns}
      rows={users}
      keyOf={(user) => user.id}
      sorting={shown.sort}
      onSort={(sort) => goTo({ sort: readSort(sort) })}
      isStale={isStale}
    />
  )
}

export function UserState({ isActive }: { isActive: boolean }): JSX.Element {
  return <Badge kind={isActive ? 'good' : 'plain'}>{isActive ? t.active : t.inactive}</Badge>
}

const rolesShown = 2

function Roles({ roles }: { roles: readonly string[] }): JSX.Element {
  const more = roles.length - rolesShown
  return (
    <span class="row tight">
      {roles.slice(0, rolesShown).map((role) => (
        <Badge key={role}>{role}</Badge>
      ))}
      {more > 0 && <span class="muted small">{t.moreRoles(more)}</span>}
    </span>
  )
}

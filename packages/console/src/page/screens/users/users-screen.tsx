import type { UserList } from '@clientele/client'
import type { JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { useResource } from '../../api/use-resource.ts'
import { english } from '../../english.ts'
import { route } from '../../routing/route.ts'
import { useAccess, useAccountId } from '../../session/use-access.ts'
import { Button } from '../../ui/button.tsx'
import { formatNumber } from '../../ui/format.ts'
import { PageHead } from '../../ui/page-head.tsx'
import { Pager } from '../../ui/pager.tsx'
import { ProblemNotice } from '../../ui/problem-notice.tsx'
import { Empty, Loading } from '../../ui/states.tsx'
import { CreateUserDialog } from './create-user-dialog.tsx'
import { InviteUserDialog } from './invite-user-dialog.tsx'
import { UsersFilters } from './users-filters.tsx'
import {
  goTo,
  isFiltered,
  noFilters,
  readUsersQuery,
  rememberList,
  toListParameters,
} from './users-query.ts'
import { UsersTable } from './users-table.tsx'

const t = english.users

export function UsersScreen(): JSX.Element {
  const accountId = useAccountId()
  const mayWrite = useAccess().can('users:write')
  const [isCreating, setCreating] = useState(false)
  const [isInviting, setInviting] = useState(false)
  const { query } = route.value
  const shown = readUsersQuery(query)
  useEffect(rememberList, [query])
  const list = useResource<UserList>('api/client/user', {
    accountId,
    query: toListParameters(shown),
  })
  const { data } = list
  // The text keeps the old number while the new one is loading.
  const lead = useRef<string>(undefined)
  if (data !== undefined && !list.isStale)
    lead.current = (isFiltered(shown) ? t.found : t.total)(formatNumber(data.total), data.total)
  const create = mayWrite && (
    <>
      <Button onClick={() => setInviting(true)}>{t.invite}</Button>
      <Button kind="primary" icon="plus" onClick={() => setCreating(true)}>
        {t.create}
      </Button>
    </>
  )
  return (
    <>
      <PageHead title={t.title} actions={create}>
        {lead.current}
      </PageHead>
      <UsersFilters shown={shown} />
      <div class="stack">
        <ProblemNotice problem={list.problem} onRetry={list.reload} />
        {data === undefined && list.isLoading && <Loading />}
        {data?.total === 0 && !isFiltered(shown) && (
          <Empty icon="users" title={t.none} actions={create}>
            {t.noneText}
          </Empty>
        )}
        {data?.total === 0 && isFiltered(shown) && (
          <Empty
            icon="search"
            title={t.noneFound}
            actions={<Button onClick={() => goTo(noFilters)}>{t.clear}</Button>}
          >
            {t.noneFoundText}
          </Empty>
        )}
        {data && data.total > 0 && (
          <div>
            {data.data.length === 0 && !list.isStale && <Empty icon="users" title={t.pastTheEnd} />}
            <UsersTable users={data.data} shown={shown} isStale={list.isStale || list.isLoading} />
            <Pager
              page={shown.page}
              limit={data.limit}
              total={data.total}
              onPage={(page) => goTo({ page })}
            />
          </div>
        )}
      </div>
      {isInviting && <InviteUserDialog accountId={accountId} onClose={() => setInviting(false)} />}
      {isCreating && <CreateUserDialog accountId={accountId} onClose={() => setCreating(false)} />}
    </>
  )
}

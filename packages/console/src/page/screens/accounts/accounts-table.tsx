import type { UserList } from '@clientele/client'
import type { JSX } from 'preact'
import { useResource } from '../../api/use-resource.ts'
import { english } from '../../english.ts'
import { toHref } from '../../routing/route.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { formatNumber } from '../../ui/format.ts'
import { Time } from '../../ui/time.tsx'
import type { Account } from './account.ts'
import type { AskedOfAccount } from './account-dialogs.tsx'

const t = english.accounts

export function AccountsTable({
  accounts,
  isStale,
  onAsk,
}: {
  accounts: readonly Account[]
  isStale: boolean
  onAsk: (asked: AskedOfAccount) => void
}): JSX.Element {
  const columns: Column<Account>[] = [
    {
      key: 'name',
      label: t.name,
      cell: (account) => (
        <div class="identity">
          <a href={toHref(['a', account.id])}>{account.name}</a>
          <code class="muted wide-only">{account.id}</code>
        </div>
      ),
    },
    {
      key: 'slug',
      label: t.slug,
      isWideOnly: true,
      cell: ({ slug, external_id: externalId }) => (
        <div class="identity">
          {slug !== null && <code>{slug}</code>}
          {externalId !== null && <code class="muted">{externalId}</code>}
        </div>
      ),
    },
    {
      key: 'users',
      label: t.users,
      isNumber: true,
      isWideOnly: true,
      cell: (account) => <UserCount account={account} />,
    },
    {
      key: 'state',
      label: t.state,
      cell: ({ disabled_at: disabledAt }) =>
        disabledAt === null ? (
          <Badge kind="good">{t.enabled}</Badge>
        ) : (
          <Badge kind="warn">{t.disabled}</Badge>
        ),
    },
    {
      key: 'created',
      label: t.created,
      isWideOnly: true,
      cell: (account) => <Time at={account.created_at} />,
    },
    {
      key: 'actions',
      label: <span class="visually-hidden">{t.actions}</span>,
      cell: (account) => <RowActions account={account} onAsk={onAsk} />,
    },
  ]
  return (
    <DataTable
      caption={t.title}
      columns={columns}
      rows={accounts}
      keyOf={(account) => account.id}
      isStale={isStale}
    />
  )
}

/** The number of an account's users; empty for a disabled account, whose users cannot be read. */
function UserCount({ account }: { account: Account }): JSX.Element | null {
  const isEnabled = account.disabled_at === null
  const { data } = useResource<UserList>(isEnabled ? 'api/client/user' : undefined, {
    accountId: account.id,
    query: { limit: 1 },
  })
  return isEnabled && data !== undefined ? <span>{formatNumber(data.total)}</span> : null
}

function RowActions({
  account,
  onAsk,
}: {
  account: Account
  onAsk: (asked: AskedOfAccount) => void
}): JSX.Element {
  const isDisabled = account.disabled_at !== null
  const verb = isDisabled ? 'enable' : 'disable'
  return (
    <div class="row tight end">
      <Button kind="quiet" icon="edit" isIconOnly onClick={() => onAsk({ verb: 'edit', account })}>
        {t.edit(account.name)}
      </Button>
      <Button
        kind="quiet"
        icon={isDisabled ? 'play' : 'pause'}
        isIconOnly
        onClick={() => onAsk({ verb, account })}
      >
        {isDisabled ? t.enable(account.name) : t.disable(account.name)}
      </Button>
      <Button
        kind="quiet"
        icon="trash"
        isIconOnly
        onClick={() => onAsk({ verb: 'delete', account })}
      >
        {t.delete(account.name)}
      </Button>
    </div>
  )
}

import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { useResource } from '../../api/use-resource.ts'
import { english } from '../../english.ts'
import { navigate, route, toHref } from '../../routing/route.ts'
import { noteAccountChange } from '../../session/accounts.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { formatNumber } from '../../ui/format.ts'
import { Loaded } from '../../ui/loaded.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { Pager } from '../../ui/pager.tsx'
import { Empty } from '../../ui/states.tsx'
import { useTypedText } from '../../ui/use-typed-text.ts'
import type { Account, AccountList } from './account.ts'
import { AccountDialogs, type AskedOfAccount } from './account-dialogs.tsx'
import { AccountsTable } from './accounts-table.tsx'
import { CreateAccountDialog } from './create-account-dialog.tsx'

const t = english.accounts
const limit = 50
/** Up to this number of accounts, there is no search field */
const fewAccounts = 8

export function AccountsScreen(): JSX.Element {
  const accounts = useResource<AccountList>('accounts')
  const [isCreating, setCreating] = useState(false)
  const [asked, setAsked] = useState<AskedOfAccount>()
  const onChanged = () => {
    accounts.reload()
    noteAccountChange()
  }
  const create = (
    <Button kind="primary" icon="plus" onClick={() => setCreating(true)}>
      {t.create}
    </Button>
  )
  const { data } = accounts
  return (
    <>
      <PageHead title={t.title} actions={create}>
        {data && t.total(formatNumber(data.accounts.length), data.accounts.length)}
      </PageHead>
      <div class="stack">
        <Loaded resource={accounts}>
          {({ accounts: all }) =>
            all.length === 0 ? (
              <Empty icon="accounts" title={t.none} actions={create}>
                {t.noneText}
              </Empty>
            ) : (
              <AccountsFound all={all} isStale={accounts.isLoading} onAsk={setAsked} />
            )
          }
        </Loaded>
      </div>
      {isCreating && <CreateAccountDialog onMade={onChanged} onClose={() => setCreating(false)} />}
      {asked && (
        <AccountDialogs asked={asked} onChanged={onChanged} onClose={() => setAsked(undefined)} />
      )}
    </>
  )
}

function AccountsFound({
  all,
  isStale,
  onAsk,
}: {
  all: readonly Account[]
  isStale: boolean
  onAsk: (asked: AskedOfAccount) => void
}): JSX.Element {
  const { query } = route.value
  const q = query.get('q') ?? ''
  const go = (words: { q?: string; page?: number }, replace: boolean) =>
    navigate(toHref([], { q, ...words }), { replace })
  const [typed, setTyped] = useTypedText(q, (text) => go({ q: text }, true))
  const wanted = q.trim().toLowerCase()
  const found = all.filter(
    ({ id, name, slug, external_id: externalId }) =>
      id === wanted ||
      [name, slug, externalId].some((text) => text?.toLowerCase().includes(wanted)),
  )
  const last = Math.max(1, Math.ceil(found.length / limit))
  const page = Math.min(Math.max(1, Math.trunc(Number(query.get('page'))) || 1), last)
  return (
    <div>
      {all.length > fewAccounts && (
        <search class="toolbar">
          <TextField
            label={t.search}
            type="search"
            placeholder={t.searchHint}
            value={typed}
            onValue={setTyped}
            autocomplete="off"
            spellcheck={false}
          />
        </search>
      )}
      {found.length === 0 ? (
        <Empty icon="search" title={t.noneFound} />
      ) : (
        <AccountsTable
          accounts={found.slice((page - 1) * limit, page * limit)}
          isStale={isStale}
          onAsk={onAsk}
        />
      )}
      {found.length > limit && (
        <Pager
          page={page}
          limit={limit}
          total={found.length}
          onPage={(next) => go({ page: next }, false)}
        />
      )}
    </div>
  )
}

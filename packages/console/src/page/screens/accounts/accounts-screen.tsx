import type { JSX } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { english } from '../../english.ts'
import { navigate, route, toHref } from '../../routing/route.ts'
import { Button } from '../../ui/button.tsx'
import { formatNumber } from '../../ui/format.ts'
import { PageHead } from '../../ui/page-head.tsx'
import { ProblemNotice } from '../../ui/problem-notice.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { Empty, Loading } from '../../ui/states.tsx'
import { AccountDialogs, type AskedOfAccount } from './account-dialogs.tsx'
import { AccountsTable } from './accounts-table.tsx'
import { CreateAccountDialog } from './create-account-dialog.tsx'
import { type Accounts, useAccounts } from './use-accounts.ts'

const t = english.accounts
/** Up to this number of accounts, there is no search field */
const fewAccounts = 8

export function AccountsScreen(): JSX.Element {
  const typed = route.value.query.get('q') ?? ''
  const q = typed.trim()
  const list = useAccounts(q)
  const [isCreating, setCreating] = useState(false)
  const [asked, setAsked] = useState<AskedOfAccount>()
  const { accounts, hasMore, isStale, isLoading } = list
  const isFiltered = q !== ''
  // The text keeps the old number while the new one is loading. A search field stays, whatever it finds.
  const lead = useRef<string>(undefined)
  const hasSearch = useRef(false)
  if (accounts !== undefined && !isStale) {
    const { length } = accounts
    const say = hasMore ? t.first : isFiltered ? t.found : t.total
    lead.current = say(formatNumber(length), length)
    hasSearch.current ||= isFiltered || hasMore || length > fewAccounts
  }
  const create = (
    <Button kind="primary" icon="plus" onClick={() => setCreating(true)}>
      {t.create}
    </Button>
  )
  return (
    <>
      <PageHead title={t.title} actions={create}>
        {lead.current}
      </PageHead>
      {hasSearch.current && <AccountSearch q={typed} />}
      <div class="stack">
        <ProblemNotice problem={list.problem} onRetry={list.reload} />
        {accounts === undefined && isLoading && <Loading />}
        {accounts?.length === 0 && !hasMore && !isFiltered && (
          <Empty icon="accounts" title={t.none} actions={create}>
            {t.noneText}
          </Empty>
        )}
        {accounts?.length === 0 && !hasMore && isFiltered && (
          <Empty icon="search" title={t.noneFound} />
        )}
        <AccountsFound list={list} onAsk={setAsked} />
      </div>
      {isCreating && (
        <CreateAccountDialog onMade={list.reload} onClose={() => setCreating(false)} />
      )}
      {asked && (
        <AccountDialogs asked={asked} onChanged={list.reload} onClose={() => setAsked(undefined)} />
      )}
    </>
  )
}

function AccountSearch({ q }: { q: string }): JSX.Element {
  const go = (text: string) => navigate(toHref([], { q: text }), { replace: true })
  return (
    <search class="toolbar">
      <SearchField label={t.search} hint={t.searchHint} text={q} onText={go} />
    </search>
  )
}

function AccountsFound({
  list: { accounts = [], hasMore, isStale, isLoading, loadMore },
  onAsk,
}: {
  list: Accounts
  onAsk: (asked: AskedOfAccount) => void
}): JSX.Element {
  return (
    <>
      {accounts.length > 0 && (
        <AccountsTable accounts={accounts} isStale={isStale || isLoading} onAsk={onAsk} />
      )}
      {hasMore && (
        <div class="row centred">
          <Button icon="down" isBusy={isLoading} disabled={isStale} onClick={loadMore}>
            {t.more}
          </Button>
        </div>
      )}
    </>
  )
}

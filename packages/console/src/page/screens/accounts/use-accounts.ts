import { useCallback, useEffect, useState } from 'preact/hooks'
import type { Problem } from '../../api/problem.ts'
import { request } from '../../api/request.ts'
import { useLatestRead } from '../../api/use-latest-read.ts'
import type { Account, AccountPage } from './account.ts'

/** One request of a search reads only a part of the accounts: the next match may be far behind. */
const mostSearches = 20

export interface Accounts {
  /** Undefined: not known yet */
  accounts: readonly Account[] | undefined
  /** Whether `accounts` belongs to a previous search */
  isStale: boolean
  isLoading: boolean
  hasMore: boolean
  problem: Problem | undefined
  /** Reads as many accounts again as are shown. */
  reload: () => Promise<void>
  loadMore: () => Promise<void>
}

interface Found {
  q: string
  accounts: readonly Account[]
  next: string | null
}

/** The accounts, or those that a search finds, a page at a time. */
export function useAccounts(q: string): Accounts {
  const [found, setFound] = useState<Found>()
  const { read, stop, isLoading, problem } = useLatestRead()

  const load = useCallback(
    (shown: readonly Account[], after: string | undefined, count: number): Promise<void> =>
      read(
        (signal) => readOn(q, after, count, signal),
        ({ accounts, next }) => setFound({ q, accounts: [...shown, ...accounts], next }),
      ),
    [q, read],
  )

  useEffect(() => {
    load([], undefined, 1)
    return stop
  }, [load, stop])

  const { accounts, next = null } = found ?? {}
  return {
    accounts,
    isStale: found !== undefined && found.q !== q,
    isLoading,
    hasMore: next !== null,
    problem,
    reload: () => load([], undefined, Math.max(1, accounts?.length ?? 0)),
    loadMore: () => load(accounts ?? [], next ?? undefined, 1),
  }
}

/** Reads pages until there are `count` accounts, or no others. */
async function readOn(
  q: string,
  start: string | undefined,
  count: number,
  signal: AbortSignal,
): Promise<AccountPage> {
  const accounts: Account[] = []
  let after = start
  for (let search = 1; ; search++) {
    const { data } = await request<AccountPage>('accounts', { query: { q, after }, signal })
    accounts.push(...data.accounts)
    const isEnough = accounts.length >= count || search === mostSearches
    if (isEnough || data.next === null) return { accounts, next: data.next }
    after = data.next
  }
}

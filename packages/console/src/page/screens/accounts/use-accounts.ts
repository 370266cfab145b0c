import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { isAbort, type Problem, toProblem } from '../../api/problem.ts'
import { request } from '../../api/request.ts'
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
  const [problem, setProblem] = useState<Problem>()
  const [isLoading, setLoading] = useState(true)
  const underWay = useRef<AbortController>(undefined)

  const load = useCallback(
    async (shown: readonly Account[], after: string | undefined, count: number): Promise<void> => {
      underWay.current?.abort()
      const abort = new AbortController()
      underWay.current = abort
      const { signal } = abort
      setLoading(true)
      try {
        const { accounts, next } = await readOn(q, after, count, signal)
        if (signal.aborted) return
        setFound({ q, accounts: [...shown, ...accounts], next })
        setProblem(undefined)
      } catch (error) {
        if (isAbort(error) || signal.aborted) return
        setProblem(toProblem(error))
      }
      setLoading(false)
    },
    [q],
  )

  useEffect(() => {
    load([], undefined, 1)
    return () => underWay.current?.abort()
  }, [load])

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

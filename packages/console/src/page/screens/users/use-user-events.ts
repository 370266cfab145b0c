import type { Event, EventFeed } from '@clientele/client'
import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { isAbort, type Problem, toProblem } from '../../api/problem.ts'
import { request } from '../../api/request.ts'
import { useAccountId } from '../../session/use-access.ts'

const pageLength = 15
/** One request reads only a part of the feed: the user's events may be far back. */
const mostSearches = 20

export interface UserEvents {
  /** Newest first; undefined: not known yet */
  events: readonly Event[] | undefined
  hasOlder: boolean
  isLoading: boolean
  problem: Problem | undefined
  /** Adds new events. */
  reload: () => void
  loadOlder: () => void
}

/** The events of one user, newest first, read again after each change. */
export function useUserEvents(userId: string, changes: number): UserEvents {
  const accountId = useAccountId()
  const [events, setEvents] = useState<readonly Event[]>()
  const [older, setOlder] = useState<string>()
  const [isLoading, setLoading] = useState(true)
  const [problem, setProblem] = useState<Problem>()
  const known = useRef<readonly Event[]>([])
  const underWay = useRef<AbortController>(undefined)

  const load = useCallback(
    async (after?: string): Promise<void> => {
      underWay.current?.abort()
      const abort = new AbortController()
      underWay.current = abort
      const { signal } = abort
      setLoading(true)
      try {
        const page = await readPage(accountId, userId, after, signal)
        if (signal.aborted) return
        const ids = new Set(known.current.map(({ id }) => id))
        const added = page.data.filter(({ id }) => !ids.has(id))
        const isGap = after === undefined && added.length === page.data.length
        if (after !== undefined) known.current = [...known.current, ...added]
        else known.current = isGap ? added : [...added, ...known.current]
        if (after !== undefined || isGap) setOlder(page.has_more ? page.next_cursor : undefined)
        setEvents(known.current)
        setProblem(undefined)
      } catch (error) {
        if (isAbort(error) || signal.aborted) return
        setProblem(toProblem(error))
      }
      setLoading(false)
    },
    [accountId, userId],
  )

  useEffect(() => {
    load()
    return () => underWay.current?.abort()
  }, [load, changes])

  return {
    events,
    hasOlder: older !== undefined,
    isLoading,
    problem,
    reload: () => load(),
    loadOlder: () => load(older),
  }
}

/** Reads backwards until it finds events about the user, or the feed ends. */
async function readPage(
  accountId: string,
  userId: string,
  start: string | undefined,
  signal: AbortSignal,
): Promise<EventFeed> {
  let after = start
  for (let search = 1; ; search++) {
    const { data: page } = await request<EventFeed>('api/client/event', {
      accountId,
      query: { user_id: userId, sort: '-created_at', limit: pageLength, after },
      signal,
    })
    if (page.data.length > 0 || !page.has_more || search === mostSearches) return page
    after = page.next_cursor
  }
}

import type { Event, EventFeed } from '@clientele/client'
import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import type { Problem } from '../../api/problem.ts'
import { request } from '../../api/request.ts'
import { useLatestRead } from '../../api/use-latest-read.ts'
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
  const { read, stop, isLoading, problem } = useLatestRead()
  const known = useRef<readonly Event[]>([])

  const load = useCallback(
    (after?: string): Promise<void> =>
      read(
        (signal) => readPage(accountId, userId, after, signal),
        (page) => {
          const ids = new Set(known.current.map(({ id }) => id))
          const added = page.data.filter(({ id }) => !ids.has(id))
          const isGap = after === undefined && added.length === page.data.length
          if (after !== undefined) known.current = [...known.current, ...added]
          else known.current = isGap ? added : [...added, ...known.current]
          if (after !== undefined || isGap) setOlder(page.has_more ? page.next_cursor : undefined)
          setEvents(known.current)
        },
      ),
    [accountId, userId, read],
  )

  useEffect(() => {
    load()
    return stop
  }, [load, stop, changes])

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

import type { Event, EventFeed } from '@clientele/client'
import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { isAbort, type Problem, toProblem } from '../../api/problem.ts'
import { request } from '../../api/request.ts'
import { useAccountId } from '../../session/use-access.ts'

/** The most that one answer can have */
const pageLength = 1_000
const pagesAtOnce = 5

export interface UserEvents {
  /** Oldest first */
  events: readonly Event[]
  isLoading: boolean
  /** Whether the newest are among them */
  isComplete: boolean
  problem: Problem | undefined
  /** Reads on from the newest that is known. */
  load: () => void
}

/** Reads the feed of one user to its end: it begins with the oldest, and people want to see the newest. */
export function useUserEvents(userId: string, changes: number): UserEvents {
  const accountId = useAccountId()
  const [events, setEvents] = useState<readonly Event[]>([])
  const [isComplete, setComplete] = useState(true)
  const [isLoading, setLoading] = useState(true)
  const [problem, setProblem] = useState<Problem>()
  const cursor = useRef<string>(undefined)
  const underWay = useRef<AbortController>(undefined)

  const load = useCallback(async () => {
    underWay.current?.abort()
    const abort = new AbortController()
    underWay.current = abort
    const { signal } = abort
    setLoading(true)
    try {
      for (let page = 0; page < pagesAtOnce; page++) {
        const { data: feed } = await request<EventFeed>('api/client/event', {
          accountId,
          query: { user_id: userId, limit: pageLength, after: cursor.current },
          signal,
        })
        if (signal.aborted) return
        cursor.current = feed.next_cursor
        if (feed.data.length > 0) setEvents((known) => [...known, ...feed.data])
        setComplete(!feed.has_more)
        if (!feed.has_more) break
      }
      setProblem(undefined)
    } catch (error) {
      if (isAbort(error) || signal.aborted) return
      setProblem(toProblem(error))
    }
    setLoading(false)
  }, [accountId, userId])

  useEffect(() => {
    load()
    return () => underWay.current?.abort()
  }, [load, changes])

  return { events, isLoading, isComplete, problem, load }
}

import type { Event, EventFeed } from '@clientele/client'
import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { isAbort, type Problem, toProblem } from '../../api/problem.ts'
import { type QueryValues, request } from '../../api/request.ts'
import { english } from '../../english.ts'
import { toast } from '../../ui/toasts.tsx'
import { pause } from './pause.ts'

const path = 'api/client/event'
const pageSize = 50
const keptEvents = 2_000
const longestPauseSeconds = 30
/** One request reads only a part of the feed: matches may be far back. */
const mostSearches = 20

export interface EventFilters {
  type?: string | undefined
  actor?: string | undefined
  user_id?: string | undefined
}

export interface EventFeedState {
  /** Newest first; undefined: not known yet */
  events: readonly Event[] | undefined
  /** The events match the previous filters; those for the new filters are loading */
  isStale: boolean
  /** Events that arrived while the page was open */
  fresh: ReadonlySet<string>
  /** Why no new events arrive at the moment */
  problem: Problem | undefined
  hasOlder: boolean
  loadOlder: () => Promise<void>
  retry: () => void
}

type Read = (query: QueryValues, signal?: AbortSignal) => Promise<EventFeed>

/** Reads back until an event matches. `next` is the cursor for older events; undefined: there are none. */
async function readBack(
  read: Read,
  from: string | undefined,
  signal?: AbortSignal,
): Promise<{ data: Event[]; next: string | undefined }> {
  let after = from
  for (let count = 0; count < mostSearches; count++) {
    const page = await read({ sort: '-created_at', limit: pageSize, after }, signal)
    after = page.has_more ? page.next_cursor : undefined
    if (page.data.length > 0 || after === undefined) return { data: page.data, next: after }
  }
  return { data: [], next: after }
}

/**
 * The feed of an account, from its end: new events are added unless paused; older events are loaded on demand.
 *
 * @param filters undefined: not known yet
 */
export function useEventFeed(
  accountId: string,
  filters: EventFilters | undefined,
  isPaused: boolean,
): EventFeedState {
  const [events, setEvents] = useState<readonly Event[]>()
  const [eventsKey, setEventsKey] = useState('')
  const [fresh, setFresh] = useState<ReadonlySet<string>>(new Set())
  const [problem, setProblem] = useState<Problem>()
  const [older, setOlder] = useState<string>()
  const wake = useRef<AbortController>(undefined)
  const live = useRef<string>(undefined)
  /** How often the list has begun anew */
  const begun = useRef(0)
  const key = JSON.stringify([accountId, filters])

  const read = useCallback<Read>(
    async (query, signal) => {
      const answer = await request<EventFeed>(path, {
        accountId,
        query: { ...filters, ...query },
        signal,
      })
      return answer.data
    },
    // The key stands for the account and the filters
    [key],
  )

  const begin = useCallback(
    async (signal: AbortSignal) => {
      // The cursor before the last event: reading from there misses no event.
      const last = await request<EventFeed>(path, {
        accountId,
        query: { sort: '-created_at', limit: 1 },
        signal,
      })
      const { data, next } = await readBack(read, undefined, signal)
      begun.current++
      setEvents(data)
      setEventsKey(key)
      setFresh(new Set())
      setOlder(next)
      live.current = last.data.next_cursor
    },
    [read],
  )

  useEffect(() => {
    live.current = undefined
  }, [key])

  useEffect(() => {
    if (filters === undefined || (isPaused && live.current !== undefined)) return
    const abort = new AbortController()
    const { signal } = abort
    const follow = async () => {
      let failures = 0
      while (!signal.aborted) {
        try {
          if (live.current === undefined) {
            await begin(signal)
            if (isPaused) return setProblem(undefined)
          } else {
            const after: string = live.current
            const asked = performance.now()
            const page = await read({ after, wait: failures > 0 ? 0 : 25 }, signal)
            live.current = page.next_cursor
            add(page.data)
            const isEmpty = page.data.length === 0 && !page.has_more
            // If too many readers wait already, the server answers at once.
            if (isEmpty && failures === 0 && performance.now() - asked < 1_000)
              await pause(2, signal)
          }
          if (failures > 0) toast(english.events.liveAgain)
          failures = 0
          setProblem(undefined)
        } catch (error) {
          if (isAbort(error)) return
          const found = toProblem(error)
          if (found.code === 'cursor_expired') live.current = undefined
          setProblem(found)
          wake.current = new AbortController()
          const seconds = Math.min(longestPauseSeconds, 2 ** failures++)
          await pause(Math.max(seconds, found.retryAfterSeconds ?? 0), signal, wake.current.signal)
        }
      }
    }
    const add = (came: readonly Event[]) => {
      if (came.length === 0) return
      setEvents((before = []) => {
        const known = new Set(before.map(({ id }) => id))
        const added = came.filter(({ id }) => !known.has(id)).toReversed()
        if (added.length === 0) return before
        setFresh((ids) => new Set([...ids, ...added.map(({ id }) => id)]))
        return [...added, ...before].slice(0, keptEvents)
      })
    }
    follow()
    return () => abort.abort()
  }, [begin, read, isPaused])

  const loadOlder = async () => {
    const list = begun.current
    const { data, next } = await readBack(read, older)
    if (begun.current !== list) return
    setEvents((before = []) => [...before, ...data])
    setOlder(next)
  }

  return {
    events,
    isStale: eventsKey !== key,
    fresh,
    problem,
    hasOlder: older !== undefined,
    loadOlder,
    retry: () => wake.current?.abort(),
  }
}

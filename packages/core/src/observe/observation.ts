import type { Logger } from '../runtime/logger.ts'
import type {
  CallEvent,
  CreateObserver,
  ObservedClientele,
  Observer,
  RequestEvent,
  RequestStart,
} from './observer.ts'

/** What came of a work, and what is told of it */
export interface Observed<Event, Value> {
  event: Event
  value: Value
}

type Around<About, Event> = <Value>(
  about: About,
  work: () => Promise<Observed<Event, Value>>,
) => Promise<Observed<Event, Value>>

type EventName = 'request' | 'call' | 'query' | 'hash' | 'delivery' | 'feed'
type Listeners = { [Name in EventName]: Observer[Name] }

/** All observers of a Clientele as one. What none of them hears is undefined. */
export interface Observation extends Listeners {
  aroundRequest: Around<RequestStart, RequestEvent> | undefined
  aroundCall: Around<string, CallEvent> | undefined
  close(): void
}

/** Makes the observers, and one of all of them; undefined where there is none. */
export function createObservation(
  create: readonly CreateObserver[],
  clientele: ObservedClientele,
  logger: Logger,
): Observation | undefined {
  if (create.length === 0) return undefined
  const observers = create.map((each) => each(clientele))
  const alarm = (error: unknown): void => logger.error({ error }, 'An observer failed.')

  function listen<Name extends EventName | 'close'>(name: Name): Observer[Name] | undefined {
    const hearing = observers.filter((observer) => observer[name] !== undefined)
    if (hearing.length === 0) return undefined
    const tell = (event: never): void => {
      for (const observer of hearing) {
        try {
          observer[name]?.(event)
        } catch (error) {
          alarm(error)
        }
      }
    }
    return tell as Observer[Name] // it hands the event of this name to those who hear it
  }

  /** The first observer's context is the outermost. */
  function nest<About, Event>(
    arounds: ((about: About, work: () => Promise<Event>) => Promise<unknown>)[],
  ): Around<About, Event> | undefined {
    if (arounds.length === 0) return undefined
    return (about, work) => {
      let run = work
      for (const around of arounds.toReversed()) {
        const inner = run
        run = async () => {
          let done: ReturnType<typeof inner> | undefined
          const begin = () => {
            done ??= inner()
            return done
          }
          try {
            await around(about, () => begin().then(({ event }) => event))
          } catch (error) {
            alarm(error)
          }
          // Where the observer has not begun it, it is done without one.
          return begin()
        }
      }
      return run()
    }
  }

  return {
    request: listen('request'),
    call: listen('call'),
    query: listen('query'),
    hash: listen('hash'),
    delivery: listen('delivery'),
    feed: listen('feed'),
    aroundRequest: nest(observers.flatMap((each) => each.aroundRequest?.bind(each) ?? [])),
    aroundCall: nest(observers.flatMap((each) => each.aroundCall?.bind(each) ?? [])),
    close: () => listen('close')?.(),
  }
}

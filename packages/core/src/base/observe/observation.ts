import { ClienteleError } from '../errors.ts'
import { isPlainObject } from '../input/json.ts'
import type { Logger } from '../runtime/logger.ts'
import type {
  CallEvent,
  CreateObserver,
  ObservedClientele,
  Observer,
  RequestEvent,
  RequestStart,
} from './observer.ts'

/** The outcome of work, and the event that observers receive about it */
export interface Observed<Event, Value> {
  event: Event
  value: Value
}

type Around<About, Event> = <Value>(
  about: About,
  work: () => Promise<Observed<Event, Value>>,
) => Promise<Observed<Event, Value>>

type EventName = 'request' | 'call' | 'query' | 'hash' | 'delivery' | 'feed' | 'hook'
type Listeners = { [Name in EventName]: Observer[Name] }

/** All observers of a Clientele as one. A hook that none of them has is undefined. */
export interface Observation extends Listeners {
  aroundRequest: Around<RequestStart, RequestEvent> | undefined
  aroundCall: Around<string, CallEvent> | undefined
  close(): void
}

/** Creates the observers and combines them; undefined without observers. */
export function createObservation(
  create: readonly CreateObserver[],
  clientele: ObservedClientele,
  logger: Logger,
): Observation | undefined {
  if (create.length === 0) return undefined
  const observers = create.map((each) => checkObserver(each(clientele)))
  const alarm = (error: unknown): void => logger.error({ error }, 'An observer failed.')

  function listen<Name extends EventName | 'close'>(name: Name): Observer[Name] | undefined {
    const hearing = observers.filter((observer) => observer[name] !== undefined)
    if (hearing.length === 0) return undefined
    const tell = (event: never): void => {
      for (const observer of hearing) {
        try {
          const told: unknown = observer[name]?.(event)
          if (told instanceof Promise) told.catch(alarm)
        } catch (error) {
          alarm(error)
        }
      }
    }
    return tell as Observer[Name] // it passes the event on to the observers with this hook
  }

  /** The first observer's context is the outermost one. */
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
          // An observer that failed before it ran the work is skipped.
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
    hook: listen('hook'),
    aroundRequest: nest(observers.flatMap((each) => each.aroundRequest?.bind(each) ?? [])),
    aroundCall: nest(observers.flatMap((each) => each.aroundCall?.bind(each) ?? [])),
    close: () => listen('close')?.(),
  }
}

const memberNames: Record<keyof Observer, true> = {
  request: true,
  call: true,
  query: true,
  hash: true,
  delivery: true,
  feed: true,
  hook: true,
  aroundRequest: true,
  aroundCall: true,
  close: true,
}

/** Reports misspelt hooks. An instance of a class may have other members. */
function checkObserver(observer: unknown): Observer {
  const isObject = typeof observer === 'object' && observer !== null
  if (!isObject || observer instanceof Promise)
    throw wrongObserver('each function must return an observer, not a promise')
  const unknown = Object.keys(observer).filter((name) => !Object.hasOwn(memberNames, name))
  if (isPlainObject(observer) && unknown.length > 0)
    throw wrongObserver(
      `${unknown.join(', ')} is not known here. Known names: ${Object.keys(memberNames).join(', ')}`,
    )
  return observer as Observer // every member is optional
}

function wrongObserver(what: string): ClienteleError {
  return new ClienteleError('configuration_invalid', `options.observers: ${what}.`)
}

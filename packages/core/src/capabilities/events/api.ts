import { type CallInput, readCall } from '../../base/call/call.ts'
import { readOptions } from '../../base/input/call-arguments.ts'
import { parseInput } from '../../base/input/input.ts'
import type { EventListener, EventName } from './events.ts'
import { type ExportEventsOptions, exportEvents, exportEventsSchema } from './export-events.ts'
import { type ReadFeedInput, readFeed, readFeedSchema } from './read-feed.ts'
import { type ClienteleEvent, toClienteleEvent } from './render-event.ts'
import type { EventsServices } from './services.ts'
import { type TailEventsOptions, tailEvents, tailEventsSchema } from './tail-events.ts'
import { type FeedVerification, verifyFeed } from './verify-feed.ts'

/** A page of an account's feed. */
export interface FeedResult {
  data: ClienteleEvent[]
  /** `after` of the next call; present even when `data` is empty */
  nextCursor: string
  /** Whether there are more events right now */
  hasMore: boolean
}

/**
 * Events: passed to listeners in the same process, and stored in a feed that all processes share, in the same
 * transaction as the change.
 *
 * @example
 * const stop = clientele.events.on('user.created', ({ accountId, user }) => sendWelcome(accountId, user.email))
 * stop()
 *
 * const { data, nextCursor } = await clientele.events.read(accountId, { types: ['user.*'], wait: 25 })
 */
export interface EventsApi {
  /**
   * Listens to the events that this process commits from now on. An error that a listener throws, or rejects with, is
   * logged and changes nothing.
   *
   * @returns a function that stops listening
   * @throws ClienteleError `validation_failed` for an unknown event name
   */
  on<Name extends EventName>(name: Name, listener: EventListener<Name>): () => void
  /**
   * Reads on in the feed of an account, oldest first. However many processes write, each event appears once, none is
   * skipped, and a user's events keep their order. Events are kept 90 days by default.
   *
   * @throws ClienteleError `validation_failed`, `cursor_expired` when the feed no longer goes back that far
   */
  read(call: CallInput, input?: ReadFeedInput): Promise<FeedResult>
  /**
   * Reads the last events of a feed. With `follow` it continues with new events, until `signal` aborts or the Clientele
   * is closed.
   *
   * @throws ClienteleError `validation_failed`, at once; `storage_unavailable` while it is read
   *
   * @example
   * for await (const event of clientele.events.tail(accountId, { follow: true })) console.log(event.type)
   */
  tail(call: CallInput, options?: TailEventsOptions): AsyncIterable<ClienteleEvent>
  /**
   * Reads the whole feed up to this moment. The export itself writes the last event, `events.exported`.
   *
   * @throws ClienteleError `validation_failed`, at once; `storage_unavailable` while it is read
   *
   * @example
   * import { toWireEvent } from '@clientele/core'
   *
   * const since = new Date('2026-01-01T00:00:00Z')
   * for await (const event of clientele.events.export(accountId, { since }))
   *   console.log(JSON.stringify(toWireEvent(event)))
   */
  export(call: CallInput, options?: ExportEventsOptions): AsyncIterable<ClienteleEvent>
  /**
   * Checks the hash chain of a feed, if it has one, and reports the entries that were changed, moved or removed outside
   * of Clientele. Entries that were deleted because of their age, and erased persons, do not break the chain.
   *
   * @throws ClienteleError `secret_required`, `validation_failed`, `storage_unavailable`
   *
   * @example
   * const { isSound, problems } = await clientele.events.verify(accountId)
   */
  verify(call: CallInput): Promise<FeedVerification>
}

export function createEventsApi(services: EventsServices): { events: EventsApi } {
  return {
    events: {
      on: (name, listener) => services.events.on(name, listener),
      read: async (call, input = {}) => {
        const checked = parseInput(readFeedSchema, input)
        const page = await readFeed(services, readCall(services, call), checked)
        const { nextCursor, hasMore } = page
        return { data: page.events.map(toClienteleEvent), nextCursor, hasMore }
      },
      tail: (call, options) =>
        tailEvents(services, readCall(services, call), readOptions(tailEventsSchema, options)),
      export: (call, options) =>
        exportEvents(services, readCall(services, call), readOptions(exportEventsSchema, options)),
      verify: async (call) => verifyFeed(services, readCall(services, call)),
    },
  }
}

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

/** A part of an account's feed. */
export interface FeedResult {
  data: ClienteleEvent[]
  /** `after` of the next call; there is one where `data` is empty, too */
  nextCursor: string
  /** Whether there is more at this moment */
  hasMore: boolean
}

/**
 * What happens: told in the same process, and kept in a feed that every process writes to, with each change in the same
 * transaction.
 *
 * @example
 * const stop = clientele.events.on('user.created', ({ accountId, user }) => sendWelcome(accountId, user.email))
 * stop()
 *
 * const { data, nextCursor } = await clientele.events.read(accountId, { types: ['user.*'], wait: 25 })
 */
export interface EventsApi {
  /**
   * Listens from now on to what this process commits. What a listener throws, or its promise rejects with, is logged and
   * changes nothing.
   *
   * @returns a function that ends the listening
   * @throws ClienteleError `validation_failed` for a name that no event has
   */
  on<Name extends EventName>(name: Name, listener: EventListener<Name>): () => void
  /**
   * Reads on in the feed of an account, oldest first: each event once, none passed over however many processes write,
   * and a user's later event never before an earlier one. Events are kept 90 days.
   *
   * @throws ClienteleError `validation_failed`, `cursor_expired` where the feed no longer goes back that far
   */
  read(call: CallInput, input?: ReadFeedInput): Promise<FeedResult>
  /**
   * Reads the last events of a feed and, with `follow`, goes on with each that comes, until `signal` aborts or the
   * Clientele is closed.
   *
   * @throws ClienteleError `validation_failed`, at once; `storage_unavailable` while it is read
   *
   * @example
   * for await (const event of clientele.events.tail(accountId, { follow: true })) console.log(event.type)
   */
  tail(call: CallInput, options?: TailEventsOptions): AsyncIterable<ClienteleEvent>
  /**
   * Reads all that is kept of a feed up to this moment. The export is an event itself, `events.exported`, the last one.
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
   * Follows the hash chain of a feed, where it has one, and says which entries were changed, moved or taken out behind
   * Clientele's back. Entries that went by their age, and persons who were erased, leave it whole.
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

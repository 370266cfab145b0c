import { type CallInput, readCall } from '../call.ts'
import { parseInput } from '../input/input.ts'
import type { Services } from '../services.ts'
import type { EventListener, EventName } from './events.ts'
import { type ReadFeedInput, readFeed, readFeedSchema } from './read-feed.ts'
import { type ClienteleEvent, toClienteleEvent } from './render-event.ts'

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
}

export function createEventsApi(services: Services): { events: EventsApi } {
  return {
    events: {
      on: (name, listener) => services.events.on(name, listener),
      read: async (call, input = {}) => {
        const checked = parseInput(readFeedSchema, input)
        const page = await readFeed(services, readCall(services, call), checked)
        const { nextCursor, hasMore } = page
        return { data: page.events.map(toClienteleEvent), nextCursor, hasMore }
      },
    },
  }
}

import type { ClientMethods, ReadEventsOptions } from './generated/methods.ts'
import type { EventFeed } from './generated/schemas.ts'
import { dataOf } from './result.ts'
import { sleep } from './sleep.ts'

/** The least time between two answers that have nothing: the server answers at once where too many wait already. */
const pauseMs = 1000

/** Reads the feed of events from `after` on, and waits for more, without an end. */
export async function* followEvents(
  client: Pick<ClientMethods, 'readEvents'>,
  options: ReadEventsOptions = {},
): AsyncGenerator<EventFeed, void, undefined> {
  let { after } = options
  for (;;) {
    const askedAt = Date.now()
    const feed = dataOf(await client.readEvents({ wait: 25, ...options, after }))
    after = feed.next_cursor
    if (feed.data.length > 0) yield feed
    else await sleep(Math.max(0, askedAt + pauseMs - Date.now()), options.signal)
  }
}

import type { ClientMethods, ReadEventsOptions } from './generated/methods.ts'
import type { EventFeed } from './generated/schemas.ts'
import { dataOf } from './result.ts'
import { sleep } from './sleep.ts'

/** The shortest time between two empty responses: the server answers immediately if too many polls wait. */
const pauseMs = 1000

/** Reads the feed of events from `after` on, and waits for more, endlessly. */
export async function* followEvents(
  client: Pick<ClientMethods, 'readEvents'>,
  options: ReadEventsOptions = {},
): AsyncGenerator<EventFeed, void, undefined> {
  let { after } = options
  for (;;) {
    const askedAt = performance.now()
    const feed = dataOf(await client.readEvents({ wait: 25, ...options, after }))
    after = feed.next_cursor
    if (feed.data.length > 0) yield feed
    else await sleep(Math.max(0, askedAt + pauseMs - performance.now()), options.signal)
  }
}

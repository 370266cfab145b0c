import { z } from 'zod'
import type { Call } from '../../base/call/call.ts'
import { type ClienteleEvent, toClienteleEvent } from './render-event.ts'
import type { EventsServices } from './services.ts'

export const tailEventsSchema = z
  .strictObject({
    count: z.int().min(0).max(1_000).default(20),
    follow: z.boolean().default(false),
    signal: z.instanceof(AbortSignal).optional(),
  })
  .prefault({})
export interface TailEventsOptions {
  /** How many of the last events to begin with, at most 1,000. @default 20 */
  count?: number | undefined
  /** Whether to continue with new events. @default false */
  follow?: boolean | undefined
  /** Ends it. @default never */
  signal?: AbortSignal | undefined
}

const pageSize = 500
const waitMs = 25_000

/** Reads the end of a feed, and continues if asked to. */
export async function* tailEvents(
  services: EventsServices,
  { accountId }: Call,
  { count, follow, signal }: z.output<typeof tailEventsSchema>,
): AsyncGenerator<ClienteleEvent> {
  const { repository, feedWatch } = services
  const { lastPosition } = await repository.events.findEnd(accountId)
  let after = Math.max(0, lastPosition - count)
  while (!signal?.aborted) {
    const page = await repository.events.read(accountId, { after, limit: pageSize })
    yield* page.events.map(toClienteleEvent)
    after = page.position
    if (page.hasMore) continue
    if (!follow || feedWatch.isClosed) return
    await feedWatch.wait(accountId, after, waitMs, signal)
  }
}

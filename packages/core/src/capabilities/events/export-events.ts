import { setImmediate as endOfTurn } from 'node:timers/promises'
import { z } from 'zod'
import type { Call } from '../../base/call/call.ts'
import { dateSchema } from '../../base/input/instant.ts'
import { mapInSlices } from '../../base/runtime/time-slice.ts'
import { appendEvent } from './append-event.ts'
import { newEvent } from './new-event.ts'
import { type ClienteleEvent, toClienteleEvent } from './render-event.ts'
import type { EventsServices } from './services.ts'

export const exportEventsSchema = z.strictObject({ since: dateSchema.optional() }).default({})
export interface ExportEventsOptions {
  /** Only events from then on. @default all stored events */
  since?: Date | undefined
}

const pageSize = 500

/** Reads a feed from its beginning to the event of the export itself, a page at a time. */
export async function* exportEvents(
  services: EventsServices,
  call: Call,
  { since }: { since?: number | undefined },
): AsyncGenerator<ClienteleEvent> {
  const { repository } = services
  const { accountId } = call
  const told = newEvent(services, call, 'events.exported', accountId, {
    since: since === undefined ? null : new Date(since),
  })
  await appendEvent(services, told)
  let after = 0
  for (;;) {
    const page = await repository.events.read(accountId, { after, limit: pageSize, since })
    const last = page.events.findIndex(({ id }) => id === told.id)
    const wanted = last === -1 ? page.events : page.events.slice(0, last + 1)
    yield* await mapInSlices(wanted, toClienteleEvent)
    if (last !== -1 || !page.hasMore) return
    after = page.position
    // When no read has to wait, an export would never yield to other requests.
    await endOfTurn()
  }
}

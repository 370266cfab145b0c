import { z } from 'zod'
import { actorTypes } from '../../base/call/call.ts'
import { idSchema } from '../../base/input/id.ts'
import { codePoints } from '../../base/input/input.ts'
import { instantSchema } from '../../base/input/instant.ts'
import { wholeNumber } from '../../base/input/whole-number.ts'
import { partLength } from '../../base/runtime/large-responses.ts'
import { respondWithJson, respondWithJsonParts } from '../../http/render.ts'
import { defineRoute, type Route, type Tag } from '../../http/route.ts'
import { timeSchema } from '../../http/wire-schemas.ts'
import { eventTypeNames, subjectTypes } from './event-types.ts'
import { maxFeedLimit, readFeed, type StoredFeedPage } from './read-feed.ts'
import { renderEvent } from './render-event.ts'
import type { EventsServices } from './services.ts'
import type { StoredEvent } from './store.ts'
import { typePatternSchema } from './type-patterns.ts'

const tag: Tag = {
  name: 'Events',
  description: 'The audit log: each event once, in the order of the feed.',
}

/** The position of a reader in a feed */
export const cursorExample = 'MDE5ZGZhZTItNmE0ZC03YzNlLTliMWYtMmY0YTVjNmQ3ZThmIDQy'
const partySchema = z
  .string()
  .max(200)
  .nullable()
  .meta({ examples: ['019dfae2-6a4d-7c3e-9b1f-2f4a5c6d7e8f'] })

const querySchema = z.strictObject({
  after: codePoints(z.string(), 1, 200)
    .meta({ examples: [cursorExample] })
    .optional()
    .describe('`next_cursor` of the previous response. Default: the oldest stored event'),
  limit: wholeNumber({ maximum: maxFeedLimit }, 100).default(100),
  wait: wholeNumber({ minimum: 0, maximum: 25 }, 25)
    .default(0)
    .describe('How many seconds to wait if there are no events'),
  type: z
    .string()
    .max(2_000)
    .transform((list) => list.split(','))
    .pipe(z.array(typePatternSchema).max(50))
    .meta({ type: 'string', maxLength: 2_000, examples: ['user.created,session.*'] })
    .optional()
    .describe('Types of events, separated by commas: `user.created`, or a group like `user.*`'),
  user_id: idSchema.optional().describe('Only events about this user'),
  actor: z.enum(actorTypes).optional().describe('Only events by actors of this kind'),
  since: instantSchema('up').optional().describe('Starts at the first event from then on'),
  sort: z
    .enum(['created_at', '-created_at'])
    .default('created_at')
    .describe(
      '`-created_at` reads backwards, newest first, and does not wait: `after` continues with older events',
    ),
})

/** An event in a response. */
export const eventSchema = z
  .object({
    id: idSchema,
    type: z.enum(eventTypeNames),
    created_at: timeSchema,
    actor: z.object({
      type: z.enum(actorTypes),
      id: partySchema,
    }),
    request_id: z
      .string()
      .max(200)
      .meta({ examples: ['request-1'] }),
    subject: z.object({ type: z.enum(subjectTypes), id: partySchema }),
    data: z.looseObject({}).meta({ examples: [{ changed: ['name'] }] }),
  })
  .meta({ id: 'Event' })

const feedSchema = z
  .object({
    data: z.array(eventSchema).max(maxFeedLimit),
    next_cursor: z
      .string()
      .max(200)
      .meta({ examples: [cursorExample] }),
    has_more: z.boolean(),
  })
  .meta({ id: 'EventFeed' })

export function createEventRoutes(services: EventsServices): Route[] {
  return [
    defineRoute({
      id: 'readEvents',
      method: 'GET',
      path: '/client/event',
      readmits: true,
      summary: 'Read the feed of events, oldest first or newest first',
      tag,
      scope: 'events:read',
      querySchema,
      responses: { 200: { description: 'The next events', schema: feedSchema } },
      errors: ['cursor_expired'],
      handle: async ({ call, request, readmit }, { query }) => {
        const { type: types, user_id: userId, sort: order, ...others } = query
        const sort = order === 'created_at' ? 'createdAt' : '-createdAt'
        const input = { ...others, types, userId, sort } as const
        const { largeResponses } = services
        const { accountId } = call
        const page = await readFeed(services, call, input, {
          signal: request.signal,
          readmit,
          inTurn: (read) => largeResponses.read(call, read),
        })
        const bytes = memoryOfEvents(page.events)
        return largeResponses.isLarge(bytes)
          ? respondWithJsonParts(200, largeResponses.render(accountId, encodePage(page), bytes))
          : respondWithJson(200, renderPage(page))
      },
    }),
  ]
}

function renderPage(page: StoredFeedPage): string {
  return `{"data":[${page.events.map(renderEvent).join(',')}${renderEnd(page)}`
}

function* encodePage(page: StoredFeedPage): Iterable<Uint8Array> {
  let text = '{"data":['
  for (const [index, event] of page.events.entries()) {
    text += (index === 0 ? '' : ',') + renderEvent(event)
    // Small buffers, each with a place of its own, would cost more than their texts.
    if (text.length < partLength) continue
    yield Buffer.from(text)
    text = ''
  }
  yield Buffer.from(text + renderEnd(page))
}

function renderEnd({ nextCursor, hasMore }: StoredFeedPage): string {
  return `],${JSON.stringify({ next_cursor: nextCursor, has_more: hasMore }).slice(1)}`
}

/** At most this many bytes of memory take the data and the persons of events; their other members are short. */
function memoryOfEvents(events: readonly StoredEvent[]): number {
  return events.reduce(
    (sum, { data, person }) => sum + 2 * (data.length + (person?.length ?? 0)),
    0,
  )
}

import { z } from 'zod'
import { respondWithJson } from '../http/render.ts'
import { defineRoute, type Route } from '../http/route.ts'
import { timeSchema } from '../http/wire-schemas.ts'
import { idSchema } from '../input/id.ts'
import { codePoints } from '../input/input.ts'
import { eventTypeNames, subjectTypes } from './event-types.ts'
import { maxFeedLimit, readFeed } from './read-feed.ts'
import { renderEvent } from './render-event.ts'
import { typePatternSchema } from './type-patterns.ts'

const wholeNumber = (least: number, most: number) =>
  z
    .string()
    .regex(/^\d{1,6}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.int().min(least).max(most))

const querySchema = z.strictObject({
  after: codePoints(z.string(), 1, 200)
    .optional()
    .describe('`next_cursor` of the answer before; without it the oldest event that is kept'),
  limit: wholeNumber(1, maxFeedLimit).default(100),
  wait: wholeNumber(0, 25)
    .default(0)
    .describe('For how many seconds to wait where there is nothing'),
  type: z
    .string()
    .max(2_000)
    .transform((list) => list.split(','))
    .pipe(z.array(typePatternSchema).max(50))
    .optional()
    .describe('Types of events, separated by commas: `user.created`, or a group like `user.*`'),
  user_id: idSchema.optional().describe('Only what is about this user'),
})

const feedSchema = z
  .object({
    data: z
      .array(
        z
          .object({
            id: idSchema,
            type: z.enum(eventTypeNames),
            created_at: timeSchema,
            actor: z.object({
              type: z.enum(['api_key', 'user', 'operator', 'system']),
              id: z.string().nullable(),
            }),
            request_id: z.string(),
            subject: z.object({ type: z.enum(subjectTypes), id: z.string().nullable() }),
            data: z.record(z.string(), z.unknown()),
          })
          .meta({ id: 'Event' }),
      )
      .max(maxFeedLimit),
    next_cursor: z.string(),
    has_more: z.boolean(),
  })
  .meta({ id: 'EventFeed' })

export const eventRoutes: Route[] = [
  defineRoute({
    id: 'readEvents',
    method: 'GET',
    path: '/client/event',
    summary: 'Read on in the feed of what has happened, oldest first',
    tag: 'Events',
    scope: 'events:read',
    querySchema,
    responses: { 200: { description: 'The next events', schema: feedSchema } },
    errors: ['cursor_expired'],
    handle: async ({ services, call }, { query }) => {
      const { type: types, user_id: userId, ...others } = query
      const page = await readFeed(services, call, { ...others, types, userId })
      const data = page.events.map(renderEvent).join(',')
      const end = JSON.stringify({ next_cursor: page.nextCursor, has_more: page.hasMore })
      return respondWithJson(200, `{"data":[${data}],${end.slice(1)}`)
    },
  }),
]

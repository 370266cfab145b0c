import { z } from 'zod'
import { idSchema } from '../../base/input/id.ts'
import { codePoints } from '../../base/input/input.ts'
import { wholeNumber } from '../../base/input/whole-number.ts'
import { toWire } from '../../base/input/wire-names.ts'
import { rootPath } from '../../http/match-route.ts'
import { respondWithJson } from '../../http/render.ts'
import { defineRoute, type Route } from '../../http/route.ts'
import { timeSchema } from '../../http/wire-schemas.ts'
import { cursorExample } from '../events/routes.ts'
import { tokensTag } from '../tokens/routes.ts'
import { maxRevocations, readRevocations } from './read-revocations.ts'
import type { RevocationsServices } from './services.ts'
import type { Revocation } from './to-revocations.ts'

const querySchema = z.strictObject({
  after: codePoints(z.string(), 1, 200)
    .meta({ examples: [cursorExample] })
    .optional()
    .describe(
      '`next_cursor` of the previous response. Default: all revocations of tokens that have not expired',
    ),
  limit: wholeNumber({ maximum: maxRevocations }, 100).default(100),
  wait: wholeNumber({ minimum: 0, maximum: 25 }, 25)
    .default(0)
    .describe('How many seconds to wait if there are no revocations'),
})

const revocationSchema = z
  .union([
    z.object({ type: z.literal('session'), session_id: idSchema, at: timeSchema }).meta({
      id: 'SessionRevocation',
      description: 'The tokens of a session (`sid`) are revoked.',
    }),
    z
      .object({
        type: z.literal('user'),
        user_id: idSchema,
        not_before: timeSchema,
        except_session_id: idSchema
          .optional()
          .describe('The session that survived the new password; its tokens stay valid'),
        own_tokens_not_before: timeSchema
          .optional()
          .describe(
            "JWTs for which the user's own tokens were exchanged (`user_token_id`) up to then are revoked. Absent: the user's own tokens live on",
          ),
      })
      .meta({
        id: 'UserRevocation',
        description:
          'The tokens of a user (`sub`) that were issued up to `not_before` are revoked.',
      }),
    z
      .object({
        type: z.literal('signing_key'),
        kid: z
          .string()
          .max(200)
          .meta({ examples: ['UrWnLcN0sFvWOb2W0s0gLVhJ9YxmS4Y9YhCkM3oQbPk'] }),
        at: timeSchema,
      })
      .meta({
        id: 'SigningKeyRevocation',
        description: 'The tokens that this key signed are revoked.',
      }),
  ])
  .meta({ id: 'Revocation' })

const feedSchema = z
  .object({
    data: z.array(revocationSchema).max(maxRevocations),
    next_cursor: z
      .string()
      .max(200)
      .meta({ examples: [cursorExample] }),
    has_more: z.boolean(),
  })
  .meta({ id: 'RevocationFeed' })

export function createRevocationRoutes(services: RevocationsServices): Route[] {
  return [
    defineRoute({
      id: 'readRevocations',
      method: 'GET',
      path: `${rootPath}/auth/revocation`,
      readmits: true,
      summary: 'Read the revocations of tokens, oldest first',
      tag: tokensTag,
      scope: 'tokens:validate',
      querySchema,
      responses: { 200: { description: 'The next revocations', schema: feedSchema } },
      errors: ['cursor_expired'],
      handle: async ({ call, request, readmit }, { query }) => {
        const { largeResponses } = services
        const render = (revocation: Revocation) => toWire(revocation)
        const page = await readRevocations(services, call, query, render, {
          signal: request.signal,
          readmit,
          inTurn: (read) => largeResponses.read(call, read),
        })
        const { data, nextCursor, hasMore } = page
        const body = { data, next_cursor: nextCursor, has_more: hasMore }
        return respondWithJson(200, JSON.stringify(body))
      },
    }),
  ]
}

import { z } from 'zod'
import { idSchema } from '../../base/input/id.ts'
import { codePoints } from '../../base/input/input.ts'
import { wholeNumber } from '../../base/input/whole-number.ts'
import { toWire } from '../../base/input/wire-names.ts'
import { rootPath } from '../../http/match-route.ts'
import { respondWithJson } from '../../http/render.ts'
import { defineRoute, type Route, type Tag } from '../../http/route.ts'
import { largeCountSchema, timeSchema } from '../../http/wire-schemas.ts'
import { clientUserSchema } from '../../user-model/client-user.ts'
import { renderUser } from '../../user-model/render-user.ts'
import { deviceSchema } from '../devices/routes.ts'
import { renderEvent } from '../events/render-event.ts'
import { cursorExample, eventSchema } from '../events/routes.ts'
import { identitySchema } from '../identities/routes.ts'
import { mfaStateSchema } from '../mfa/routes.ts'
import { passkeySchema } from '../passkeys/routes.ts'
import { sessionSchema } from '../sessions/routes.ts'
import { userTokenSchema } from '../user-tokens/routes.ts'
import { userPathSchema } from '../users/routes.ts'
import { eraseUser } from './erase-user.ts'
import { exportUser, maxExportedEvents } from './export-user.ts'
import { maxFormerEmails } from './max-former-emails.ts'
import type { PersonalDataServices } from './services.ts'

const tag: Tag = {
  name: 'Personal data',
  description: 'The rights of a person: to read all stored data about them, and to be forgotten.',
}

const exportQuerySchema = z.strictObject({
  after: codePoints(z.string(), 1, 200)
    .meta({ examples: [cursorExample] })
    .optional()
    .describe('`next_cursor` of the previous response. Default: the oldest event'),
  limit: wholeNumber({ maximum: maxExportedEvents }, maxExportedEvents)
    .default(maxExportedEvents)
    .describe('The maximum number of events'),
})

const mailedPurposes = [
  ...(['password_reset', 'email_verification', 'invitation', 'sign_in_code'] as const),
  ...(['email_change', 'email_change_notice'] as const),
] as const
const addressSchema = z.string().meta({ examples: ['ada@example.com'] })
const personalDataSchema = z
  .object({
    user: clientUserSchema,
    sessions: z.array(sessionSchema),
    two_factor: mfaStateSchema,
    passkeys: z.array(passkeySchema),
    devices: z.array(deviceSchema),
    user_tokens: z.array(
      userTokenSchema.extend({
        revoked_at: timeSchema.nullable().describe('Null: it is not revoked'),
      }),
    ),
    identities: z.array(identitySchema),
    scim: z
      .object({
        user_name: z.string().meta({ examples: ['ada@example.com'] }),
        external_id: z
          .string()
          .meta({ examples: ['00ujl29u0le5T6Aj10h7'] })
          .nullable(),
        given_name: z
          .string()
          .meta({ examples: ['Ada'] })
          .nullable(),
        family_name: z
          .string()
          .meta({ examples: ['Lovelace'] })
          .nullable(),
      })
      .nullable()
      .describe('The names that an identity provider has given'),
    verified_email: z.object({ email: addressSchema, verified_at: timeSchema }).nullable(),
    former_emails: z.array(addressSchema).max(maxFormerEmails),
    has_more_former_emails: z
      .boolean()
      .describe('Whether there are more former addresses. An erasure deletes all'),
    email_tokens: z.array(
      z.object({
        purpose: z.enum(mailedPurposes),
        email: addressSchema,
        expires_at: timeSchema,
      }),
    ),
    events: z.array(eventSchema).max(maxExportedEvents),
    next_cursor: z.string().meta({ examples: [cursorExample] }),
    has_more: z.boolean().describe('Whether there are more events: ask again with `after`'),
  })
  .meta({ id: 'PersonalData' })

const erasureSchema = z
  .object({
    id: idSchema,
    erased_at: timeSchema,
    removed: z
      .record(z.string().meta({ examples: ['clientele_users'] }), largeCountSchema(0, 1))
      .meta({
        description: 'How many rows were deleted, by table',
        examples: [{ clientele_users: 1, clientele_sessions: 2 }],
      }),
    retained: z
      .array(
        z.object({
          what: z.string().meta({ examples: ['clientele_events'] }),
          why: z.string().meta({ examples: ['The audit log says what happened.'] }),
        }),
      )
      .describe('What stays, by table, and why'),
    receipt: z.string().meta({
      description: 'The other members as a compact JWS (RFC 7515) by the key that signs tokens',
      examples: ['eyJhbGciOiJFZERTQSJ9.eyJpZCI6IjAxOWRmYWUyIn0.c2lnbmF0dXJl'],
    }),
  })
  .meta({ id: 'Erasure' })

export function createPersonalDataRoutes(services: PersonalDataServices): Route[] {
  return [
    defineRoute({
      id: 'exportUser',
      method: 'GET',
      path: `${rootPath}/{id}/export`,
      summary: 'Read all stored data about a person',
      tag,
      scope: 'users:read',
      pathSchema: userPathSchema,
      querySchema: exportQuerySchema,
      responses: { 200: { description: 'The stored data', schema: personalDataSchema } },
      errors: ['user_not_found'],
      handle: async ({ call }, { path, query }) => {
        const data = await exportUser(services, call, path.id, query)
        const { verifiedEmail, nextCursor, hasMore } = data
        const rest = JSON.stringify({
          sessions: data.sessions.map(toWire),
          two_factor: toWire(data.mfa),
          passkeys: data.passkeys.map(toWire),
          devices: data.devices.map(toWire),
          user_tokens: data.userTokens.map((token) => toWire(token)),
          identities: data.identities.map(toWire),
          scim: data.scim && toWire(data.scim),
          verified_email: verifiedEmail && toWire(verifiedEmail),
        })
        const former = JSON.stringify({
          former_emails: data.formerEmails,
          has_more_former_emails: data.hasMoreFormerEmails,
        })
        const mailed = JSON.stringify(data.emailTokens.map(toWire))
        const events = data.events.map(renderEvent).join(',')
        const end = JSON.stringify({ next_cursor: nextCursor, has_more: hasMore })
        return respondWithJson(
          200,
          `{"user":${renderUser(data.user)},${rest.slice(1, -1)},${former.slice(1, -1)},"email_tokens":${mailed},"events":[${events}],${end.slice(1)}`,
        )
      },
    }),
    defineRoute({
      id: 'eraseUser',
      method: 'POST',
      path: `${rootPath}/{id}/erase`,
      summary: 'Delete a user permanently, and remove the person from the rows that stay',
      tag,
      scope: 'users:write',
      pathSchema: userPathSchema,
      requestHeaders: ['Idempotency-Key'],
      responses: {
        200: { description: 'The person was erased: a receipt', schema: erasureSchema },
      },
      errors: ['user_not_found'],
      handle: async ({ call }, { path }) =>
        respondWithJson(200, JSON.stringify(await eraseUser(services, call, path.id))),
    }),
  ]
}

import { z } from 'zod'
import { tokenErrorCodes } from '../../base/errors.ts'
import { idSchema, pathIdSchema } from '../../base/input/id.ts'
import { opaqueTokenSchema } from '../../base/input/opaque-tokens.ts'
import { toWire } from '../../base/input/wire-names.ts'
import { rootPath } from '../../http/match-route.ts'
import { respondWithJson, respondWithoutBody } from '../../http/render.ts'
import { defineRoute, type Route, type Tag } from '../../http/route.ts'
import { secondsSchema, timeSchema } from '../../http/wire-schemas.ts'
import { respondWithSession, signedInSchema, signingInTag } from '../sessions/routes.ts'
import { userPathSchema } from '../users/routes.ts'
import { beginEnrolment, beginEnrolmentSchema } from './begin-enrolment.ts'
import { beginLogIn, beginLogInSchema } from './begin-log-in.ts'
import { enrolPasskey, enrolPasskeySchema } from './enrol-passkey.ts'
import { listPasskeys } from './list-passkeys.ts'
import { logInWithPasskey, passkeyLogInSchema } from './log-in-with-passkey.ts'
import { maxPasskeys, passkeyUseSchema, renamePasskeySchema } from './passkey.ts'
import { removePasskey } from './remove-passkey.ts'
import { renamePasskey } from './rename-passkey.ts'
import type { PasskeysServices } from './services.ts'
import { creationOptionsSchema, requestOptionsSchema } from './webauthn-options.ts'

const tag: Tag = {
  name: 'Passkeys',
  description:
    "A user's passkeys (WebAuthn): enrol, list, rename and remove them. Signing in with a passkey is under Signing in.",
}
const base = `${rootPath}/{id}/passkey`

export const passkeySchema = z
  .object({
    id: idSchema,
    name: renamePasskeySchema.shape.name,
    use: passkeyUseSchema,
    created_at: timeSchema,
    last_used_at: timeSchema.nullable().describe('When it was last used to sign in'),
    backed_up: z.boolean().describe('Whether it was backed up when it was last used'),
    transports: z.array(z.string()).meta({ examples: [['internal', 'hybrid']] }),
  })
  .meta({ id: 'Passkey' })
const passkeyListSchema = z
  .object({ data: z.array(passkeySchema).max(maxPasskeys) })
  .meta({ id: 'PasskeyList' })
const begunEnrolmentSchema = z
  .object({
    challenge: opaqueTokenSchema,
    options: creationOptionsSchema,
    expires_in: secondsSchema(300),
  })
  .meta({ id: 'BegunPasskey' })
const begunLogInSchema = z
  .object({
    challenge: opaqueTokenSchema,
    options: requestOptionsSchema,
    expires_in: secondsSchema(300),
  })
  .meta({ id: 'BegunPasskeyLogIn' })
const passkeyPathSchema = userPathSchema.extend({ passkey_id: pathIdSchema('passkey_not_found') })

export function createPasskeyRoutes(services: PasskeysServices): Route[] {
  return [
    defineRoute({
      id: 'beginPasskey',
      method: 'POST',
      path: `${base}/options`,
      summary: 'Begin to enrol a passkey (WebAuthn)',
      tag,
      scope: 'users:write',
      pathSchema: userPathSchema,
      bodySchema: beginEnrolmentSchema,
      responses: { 200: { description: 'The options for the page', schema: begunEnrolmentSchema } },
      errors: [
        'user_not_found',
        'passkeys_not_configured',
        'passkey_limit_reached',
        'token_missing',
        'rate_limited',
        'impersonation_refused',
        ...tokenErrorCodes,
      ],
      handle: async ({ call }, { path, body }) => {
        const begun = await beginEnrolment(services, call, path.id, body)
        return respondWithJson(200, JSON.stringify(toWire(begun)))
      },
    }),
    defineRoute({
      id: 'enrolPasskey',
      method: 'POST',
      path: base,
      summary: 'Enrol the passkey that the browser has created',
      tag,
      scope: 'users:write',
      pathSchema: userPathSchema,
      bodySchema: enrolPasskeySchema,
      responses: { 201: { description: 'The passkey is enrolled', schema: passkeySchema } },
      errors: [
        'user_not_found',
        'passkeys_not_configured',
        'challenge_invalid',
        'passkey_invalid',
        'passkey_taken',
        'passkey_limit_reached',
        'token_missing',
        'rate_limited',
      ],
      handle: async ({ call }, { path, body }) => {
        const passkey = await enrolPasskey(services, call, path.id, body)
        return respondWithJson(201, JSON.stringify(toWire(passkey)))
      },
    }),
    defineRoute({
      id: 'listPasskeys',
      method: 'GET',
      path: base,
      summary: "List a user's passkeys, oldest first",
      tag,
      scope: 'users:read',
      pathSchema: userPathSchema,
      responses: { 200: { description: 'The passkeys', schema: passkeyListSchema } },
      errors: ['user_not_found'],
      handle: async ({ call }, { path }) => {
        const found = await listPasskeys(services, call, path.id)
        return respondWithJson(200, JSON.stringify({ data: found.map(toWire) }))
      },
    }),
    defineRoute({
      id: 'renamePasskey',
      method: 'PATCH',
      path: `${base}/{passkey_id}`,
      summary: 'Rename a passkey',
      tag,
      scope: 'users:write',
      pathSchema: passkeyPathSchema,
      bodySchema: renamePasskeySchema,
      acceptsMergePatch: true,
      responses: { 200: { description: 'The passkey', schema: passkeySchema } },
      errors: ['user_not_found', 'passkey_not_found'],
      handle: async ({ call }, { path, body }) => {
        const passkey = await renamePasskey(services, call, path.id, path.passkey_id, body)
        return respondWithJson(200, JSON.stringify(toWire(passkey)))
      },
    }),
    defineRoute({
      id: 'removePasskey',
      method: 'DELETE',
      path: `${base}/{passkey_id}`,
      summary: 'Remove a passkey from a user',
      tag,
      scope: 'users:write',
      pathSchema: passkeyPathSchema,
      responses: { 204: { description: 'The passkey can no longer sign in' } },
      errors: ['user_not_found', 'passkey_not_found'],
      handle: async ({ call }, { path }) => {
        await removePasskey(services, call, path.id, path.passkey_id)
        return respondWithoutBody(204)
      },
    }),
    defineRoute({
      id: 'beginPasskeyLogIn',
      method: 'POST',
      path: `${rootPath}/auth/login/passkey/options`,
      summary: 'Begin a sign-in with a passkey; does not reveal whether an e-mail is known',
      tag: signingInTag,
      scope: 'tokens:issue',
      bodySchema: beginLogInSchema,
      responses: { 200: { description: 'The options for the page', schema: begunLogInSchema } },
      errors: ['sign_in_method_disabled', 'passkeys_not_configured'],
      handle: async ({ call }, { body }) =>
        respondWithJson(200, JSON.stringify(toWire(await beginLogIn(services, call, body)))),
    }),
    defineRoute({
      id: 'logInWithPasskey',
      method: 'POST',
      path: `${rootPath}/auth/login/passkey`,
      summary: 'Sign a user in with a passkey',
      tag: signingInTag,
      scope: 'tokens:issue',
      bodySchema: passkeyLogInSchema,
      asksHooks: true,
      responses: { 200: { description: 'The user is signed in', schema: signedInSchema } },
      errors: [
        'sign_in_method_disabled',
        'passkeys_not_configured',
        'challenge_invalid',
        'passkey_invalid',
        'rate_limited',
      ],
      handle: async ({ call }, { body }) =>
        respondWithSession(await logInWithPasskey(services, call, body)),
    }),
  ]
}

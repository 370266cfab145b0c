import { z } from 'zod'
import { idSchema, pathIdSchema } from '../../base/input/id.ts'
import { toWire } from '../../base/input/wire-names.ts'
import { rootPath } from '../../http/match-route.ts'
import { respondWithJson, respondWithoutBody } from '../../http/render.ts'
import { defineRoute, type Route, type Tag } from '../../http/route.ts'
import { timeSchema } from '../../http/wire-schemas.ts'
import { userPathSchema } from '../users/routes.ts'
import { linkIdentitySchema } from './identity.ts'
import { linkIdentity } from './link-identity.ts'
import { listIdentities } from './list-identities.ts'
import type { IdentitiesServices } from './services.ts'
import { unlinkIdentity } from './unlink-identity.ts'

const tag: Tag = {
  name: 'Identities',
  description: 'The identities of a user at other issuers, for signing in with their ID tokens.',
}
const base = `${rootPath}/{id}/identity`

export const identitySchema = z
  .object({
    id: idSchema,
    ...linkIdentitySchema.shape,
    created_at: timeSchema,
    last_used_at: timeSchema.nullable().describe('When it was last used to sign in'),
  })
  .meta({ id: 'Identity' })
const identityListSchema = z.object({ data: z.array(identitySchema) }).meta({ id: 'IdentityList' })

export function createIdentityRoutes(services: IdentitiesServices): Route[] {
  return [
    defineRoute({
      id: 'listIdentities',
      method: 'GET',
      path: base,
      summary: 'List the identities of a user at other issuers, oldest first',
      tag,
      scope: 'users:read',
      pathSchema: userPathSchema,
      responses: { 200: { description: 'The identities', schema: identityListSchema } },
      errors: ['user_not_found'],
      handle: async ({ call }, { path }) => {
        const found = await listIdentities(services, call, path.id)
        return respondWithJson(200, JSON.stringify({ data: found.map(toWire) }))
      },
    }),
    defineRoute({
      id: 'linkIdentity',
      method: 'POST',
      path: base,
      summary: 'Link an identity at another issuer to a user',
      tag,
      scope: 'users:write',
      pathSchema: userPathSchema,
      bodySchema: linkIdentitySchema,
      responses: {
        200: { description: 'The user already has the identity', schema: identitySchema },
        201: { description: 'The identity is linked', schema: identitySchema },
      },
      errors: ['user_not_found', 'identity_taken', 'identity_limit_reached'],
      handle: async ({ call }, { path, body }) => {
        const { identity, isNew } = await linkIdentity(services, call, path.id, body)
        return respondWithJson(isNew ? 201 : 200, JSON.stringify(toWire(identity)))
      },
    }),
    defineRoute({
      id: 'unlinkIdentity',
      method: 'DELETE',
      path: `${base}/{identity_id}`,
      summary: 'Unlink an identity from a user',
      tag,
      scope: 'users:write',
      pathSchema: userPathSchema.extend({ identity_id: pathIdSchema('identity_not_found') }),
      responses: { 204: { description: 'The identity is unlinked' } },
      errors: ['user_not_found', 'identity_not_found'],
      handle: async ({ call }, { path }) => {
        await unlinkIdentity(services, call, path.id, path.identity_id)
        return respondWithoutBody(204)
      },
    }),
  ]
}

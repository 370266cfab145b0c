import { z } from 'zod'
import { rootPath } from '../http/match-route.ts'
import { respondWithDocument } from '../http/render.ts'
import { defineRoute, type Route } from '../http/route.ts'

const jwksSchema = z
  .object({
    keys: z.array(
      z.looseObject({
        kty: z.string().meta({ examples: ['OKP'] }),
        kid: z.string().meta({ examples: ['UrWnLcN0sFvWOb2W0s0gLVhJ9YxmS4Y9YhCkM3oQbPk'] }),
      }),
    ),
  })
  .meta({ id: 'Jwks' })

export const signingKeyRoutes: Route[] = [
  defineRoute({
    id: 'readJwks',
    method: 'GET',
    path: `${rootPath}/auth/jwks.json`,
    summary: 'The public keys that verify our tokens (RFC 7517)',
    tag: 'Documents',
    responses: { 200: { description: 'A JWK set', schema: jwksSchema } },
    errors: ['method_not_allowed', 'storage_unavailable', 'internal_error'],
    handle: async ({ services }) => {
      await services.keyRing.active()
      const keys = (await services.keyRing.all()).flatMap((key) => key.publicJwk ?? [])
      return respondWithDocument(JSON.stringify({ keys }))
    },
  }),
]

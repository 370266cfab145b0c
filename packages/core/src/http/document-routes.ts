import { z } from 'zod'
import { rootPath } from './match-route.ts'
import { createOpenApiDocument } from './openapi/document.ts'
import { jsonType } from './render.ts'
import { defineRoute, type Route } from './route.ts'

const cacheFor = 'public, max-age=300'
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

/** The public documents. `routes` answers with the whole table, these included. */
export function createDocumentRoutes(routes: () => readonly Route[]): Route[] {
  let document: Promise<string> | undefined
  return [
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
        return {
          status: 200,
          headers: { 'content-type': jsonType, 'cache-control': cacheFor },
          body: JSON.stringify({ keys }),
        }
      },
    }),
    defineRoute({
      id: 'readOpenApi',
      method: 'GET',
      path: `${rootPath}/openapi.json`,
      summary: 'This document (OpenAPI 3.1)',
      tag: 'Documents',
      responses: {
        200: {
          description: 'An OpenAPI document',
          schema: z.looseObject({ openapi: z.string().meta({ examples: ['3.1.1'] }) }),
        },
      },
      errors: ['method_not_allowed'],
      handle: async () => {
        document ??= createOpenApiDocument(routes()).then((made) => JSON.stringify(made))
        return {
          status: 200,
          headers: { 'content-type': jsonType, 'cache-control': cacheFor },
          body: await document,
        }
      },
    }),
  ]
}

import { z } from 'zod'
import { rootPath } from './match-route.ts'
import { createOpenApiDocument } from './openapi/document.ts'
import { respondWithDocument } from './render.ts'
import { defineRoute, type Route } from './route.ts'

/** The public document. `routes` answers with the whole table, this one included. */
export function createOpenApiRoute(routes: () => readonly Route[]): Route {
  let document: Promise<string> | undefined
  return defineRoute({
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
      return respondWithDocument(await document)
    },
  })
}

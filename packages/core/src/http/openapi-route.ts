import { z } from 'zod'
import type { DescribedFields } from '../users/field-schemas.ts'
import { rootPath } from './match-route.ts'
import type { OpenApiDocument } from './openapi/open-api-document.ts'
import { respondWithDocument } from './render.ts'
import { defineRoute, type Route } from './route.ts'

/** Makes what makes the document of a route table, once. It is loaded when somebody asks: most processes never do. */
export function createOpenApi(
  routes: () => readonly Route[],
  described: DescribedFields,
): () => Promise<OpenApiDocument> {
  let document: Promise<OpenApiDocument> | undefined
  return () => {
    document ??= import('./openapi/document.ts').then(({ createOpenApiDocument }) =>
      createOpenApiDocument(routes(), described),
    )
    return document
  }
}

/** The public document. */
export function createOpenApiRoute(openApi: () => Promise<OpenApiDocument>): Route {
  let text: Promise<string> | undefined
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
      text ??= openApi().then((document) => JSON.stringify(document))
      return respondWithDocument(await text)
    },
  })
}

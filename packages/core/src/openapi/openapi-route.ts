import { z } from 'zod'
import { documentsTag } from '../capabilities/signing-keys/routes.ts'
import { type KeptDocument, keepDocument, respondWithKept } from '../http/kept-document.ts'
import { rootPath } from '../http/match-route.ts'
import { jsonType, publicCaching } from '../http/render.ts'
import { defineRoute, type Route } from '../http/route.ts'
import type { DescribedFields } from '../user-model/field-schemas.ts'
import type { OpenApiDocument } from './open-api-document.ts'

/** Makes the function that creates the OpenAPI document, once and on first use: most processes never need it. */
export function createOpenApi(
  routes: () => readonly Route[],
  described: DescribedFields,
): () => Promise<OpenApiDocument> {
  let document: Promise<OpenApiDocument> | undefined
  return () => {
    document ??= import('./document.ts').then(({ createOpenApiDocument }) =>
      createOpenApiDocument(routes(), described),
    )
    return document
  }
}

/** The public document, as it is served. */
export function createOpenApiRoute(openApi: () => Promise<OpenApiDocument>): Route {
  let kept: Promise<KeptDocument> | undefined
  return defineRoute({
    id: 'readOpenApi',
    method: 'GET',
    path: `${rootPath}/openapi.json`,
    summary: 'This document (OpenAPI 3.1)',
    tag: documentsTag,
    responses: {
      200: {
        description: 'An OpenAPI document',
        schema: z.looseObject({ openapi: z.string().meta({ examples: ['3.1.1'] }) }),
        headers: ['ETag'],
      },
      304: {
        description: 'The client already has the document (`If-None-Match`)',
        headers: ['ETag'],
      },
    },
    errors: ['method_not_allowed'],
    handle: async ({ request }) => {
      kept ??= openApi().then((document) => keepDocument(JSON.stringify(document)))
      return respondWithKept(request, await kept, jsonType, publicCaching)
    },
  })
}

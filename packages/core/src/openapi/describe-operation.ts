import { z } from 'zod'
import type {
  ZodObjectInput,
  ZodOpenApiOperationObject,
  ZodOpenApiParameters,
  ZodOpenApiResponsesObject,
} from 'zod-openapi'
import { type HeaderName, headerFields } from '../http/header-fields.ts'
import { mediaTypesOf } from '../http/read-body.ts'
import { ndjsonType } from '../http/render.ts'
import { needsBody, type Route, requestHeadersOf, takesIdempotencyKey } from '../http/route.ts'
import { type Components, describeHeaders } from './describe-headers.ts'
import { describeProblems } from './describe-problems.ts'

/** Describes a route for zod-openapi; shared parts go to `components`. */
export function describeOperation(route: Route, components: Components): ZodOpenApiOperationObject {
  const { id, summary, tag, scope, acceptsBasic, pathSchema, querySchema } = route
  return {
    operationId: id,
    summary,
    ...(scope === undefined
      ? { security: [] }
      : { description: `Needs an API key with the scope \`${scope}\`.` }),
    ...(acceptsBasic && { security: [{ apiKey: [] }, { basic: [] }] }),
    tags: [tag.name],
    requestParams: { ...asParameters('path', pathSchema), ...asParameters('query', querySchema) },
    parameters: requestHeadersOf(route).map(describeRequestHeader),
    ...describeBody(route),
    responses: {
      ...describeSuccesses(route, components),
      ...describeProblems(route, components),
    },
  }
}

function asParameters(place: 'path' | 'query', schema: Route['pathSchema']): ZodOpenApiParameters {
  return schema === undefined ? {} : { [place]: schema as ZodObjectInput } // an object, or a pipe from one
}

function describeRequestHeader(name: HeaderName) {
  const { description, ...schema } = headerFields[name]
  return { name, in: 'header' as const, required: false, description, schema }
}

function describeBody(route: Route): Pick<ZodOpenApiOperationObject, 'requestBody'> {
  const { takesLines } = route
  const schema = takesLines === undefined ? route.bodySchema : z.array(takesLines.schema)
  if (schema === undefined) return {}
  const content = Object.fromEntries(mediaTypesOf(route).map((type) => [type, { schema }]))
  return { requestBody: { required: needsBody(route), content } }
}

/** OpenAPI 3.1 has no schema of lines: they are described as a list, as others describe them. */
function inMedia(contentType: string, schema: z.ZodType): z.ZodType {
  return contentType === ndjsonType ? z.array(schema) : schema
}

function describeSuccesses(route: Route, components: Components): ZodOpenApiResponsesObject {
  const ofReplays: HeaderName[] = takesIdempotencyKey(route) ? ['Idempotent-Replayed'] : []
  const entries = Object.entries(route.responses).map(
    ([status, { description, schema, contentType = 'application/json', headers = [] }]) => [
      status,
      {
        description,
        headers: describeHeaders([...headers, ...ofReplays], components),
        ...(schema && { content: { [contentType]: { schema: inMedia(contentType, schema) } } }),
      },
    ],
  )
  return Object.fromEntries(entries)
}

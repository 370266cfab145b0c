import type {
  ZodObjectInput,
  ZodOpenApiOperationObject,
  ZodOpenApiParameters,
  ZodOpenApiResponsesObject,
} from 'zod-openapi'
import { type HeaderName, headerFields } from '../http/header-fields.ts'
import { mediaTypesOf } from '../http/read-body.ts'
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
  const { bodySchema: schema } = route
  if (schema === undefined) return {}
  const content = Object.fromEntries(mediaTypesOf(route).map((type) => [type, { schema }]))
  return { requestBody: { required: needsBody(route), content } }
}

function describeSuccesses(route: Route, components: Components): ZodOpenApiResponsesObject {
  const ofReplays: HeaderName[] = takesIdempotencyKey(route) ? ['Idempotent-Replayed'] : []
  const entries = Object.entries(route.responses).map(
    ([status, { description, schema, contentType = 'application/json', headers = [] }]) => [
      status,
      {
        description,
        headers: describeHeaders([...headers, ...ofReplays], components),
        ...(schema && { content: { [contentType]: { schema } } }),
      },
    ],
  )
  return Object.fromEntries(entries)
}

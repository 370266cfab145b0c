import type { z } from 'zod'
import { type HeaderName, headerFields } from '../header-fields.ts'
import type { DocumentedResponse, Route } from '../route.ts'
import { describeProblems } from './describe-problems.ts'
import { exampleOf } from './examples.ts'
import { type JsonSchema, type NamedSchemas, toJsonSchema, toParameters } from './json-schema.ts'
import type {
  MediaDescription,
  OperationDescription,
  ParametersDescription,
  ResponseDescription,
} from './operation-description.ts'
import { describeHeaders } from './response-headers.ts'

/** Describes what a route takes and answers with; schemas that have a name go to `named`. */
export function describeOperation(route: Route, named: NamedSchemas): OperationDescription {
  const { id, summary, tag, scope, pathSchema, querySchema, requestHeaders, bodySchema } = route
  return {
    operationId: id,
    summary,
    ...(scope === undefined
      ? {}
      : { description: `Needs an API key with the scope \`${scope}\`.` }),
    tags: [tag],
    scope: scope ?? null,
    ...(pathSchema && { params: describeParameters(pathSchema, named) }),
    ...(querySchema && { querystring: describeParameters(querySchema, named) }),
    ...(requestHeaders && { headers: describeRequestHeaders(requestHeaders) }),
    ...(bodySchema && { body: describeBody(bodySchema, route.acceptsMergePatch ?? false, named) }),
    response: { ...describeSuccesses(route, named), ...describeProblems(route, named) },
  }
}

function describeParameters(schema: z.ZodType, named: NamedSchemas): ParametersDescription {
  return { type: 'object', ...toParameters(schema, named) }
}

function describeRequestHeaders(names: readonly HeaderName[]): ParametersDescription {
  const properties = names.map((name): [string, JsonSchema] => [name, { ...headerFields[name] }])
  return { type: 'object', properties: Object.fromEntries(properties), required: [] }
}

function describeBody(
  schema: z.ZodType,
  acceptsMergePatch: boolean,
  named: NamedSchemas,
): { content: Record<string, MediaDescription> } {
  const media = describeMedia(toJsonSchema(schema, 'input', named), named)
  const merge = acceptsMergePatch ? { 'application/merge-patch+json': media } : {}
  return { content: { 'application/json': media, ...merge } }
}

function describeSuccesses(route: Route, named: NamedSchemas): Record<string, ResponseDescription> {
  const entries = Object.entries(route.responses).map(
    ([status, response]): [string, ResponseDescription] => [
      status,
      {
        description: response.description,
        headers: describeHeaders(response.headers),
        ...describeContent(response, named),
      },
    ],
  )
  return Object.fromEntries(entries)
}

function describeContent(
  { schema, contentType }: DocumentedResponse,
  named: NamedSchemas,
): Pick<ResponseDescription, 'content' | 'type'> {
  if (schema === undefined) return { type: 'null' }
  const media = describeMedia(toJsonSchema(schema, 'output', named), named)
  return { content: { [contentType ?? 'application/json']: media } }
}

function describeMedia(schema: JsonSchema, named: NamedSchemas): MediaDescription {
  return { schema, example: exampleOf(schema, named) }
}

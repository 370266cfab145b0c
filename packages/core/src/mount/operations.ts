import type { Method, Route } from '../http/route.ts'
import type { JsonSchema, OpenApiDocument, ParameterObject } from '../openapi/open-api-document.ts'

/** One operation, for adapters of frameworks that register each one. */
export interface Operation {
  /** Its operationId in the OpenAPI document: `createUser` */
  id: string
  method: Method
  /** Below the mount, with `{name}` for parameters: `/client/user/{id}` */
  path: string
}

/** The operations of a route table. */
export function listOperations(routes: readonly Route[]): readonly Operation[] {
  return routes.map(({ id, method, path }) => ({ id, method, path }))
}

/** The part of a host's OpenAPI 3 document that names security schemes */
export interface SecuritySchemes {
  components?: { securitySchemes?: Record<string, unknown> }
}

/** The names of our schemes in the host's document */
const schemeNames: Record<string, string> = { apiKey: 'clienteleApiKey', basic: 'clienteleBasic' }
const places = { path: 'params', query: 'querystring', header: 'headers' } as const

/**
 * For adapters: an operation in the form of `@fastify/swagger`, with its references resolved. An operation that is not
 * in the document is hidden.
 *
 * @param host the host's OpenAPI 3 document: our security schemes are added to it, as `clienteleApiKey` and
 *   `clienteleBasic`. Absent: the document is of another kind, without bodies and security
 */
export function toOperationSchema(
  document: OpenApiDocument,
  { method, path }: Pick<Operation, 'method' | 'path'>,
  host?: SecuritySchemes,
): object {
  const operation = document.paths[path]?.[method.toLowerCase()]
  if (operation === undefined) return { hide: true }
  const {
    parameters = [],
    requestBody,
    responses,
    security,
    ...about
  } = toOpenApi30Terms(inlineReferences(operation, document))
  const described = { ...about, ...toSchemas(parameters) }
  if (host === undefined) return described
  const schemes = inHostNames(document.components.securitySchemes)
  const { securitySchemes } = host.components ?? {}
  host.components = { ...host.components, securitySchemes: { ...schemes, ...securitySchemes } }
  return {
    ...described,
    ...(requestBody && { body: { content: requestBody.content } }),
    response: mapValues(responses, ({ headers, ...response }) => ({
      ...response,
      headers: mapValues(headers, withDescription),
      ...(response.content === undefined && { type: 'null' }),
    })),
    security: (security ?? [{ apiKey: [] }]).map(inHostNames),
  }
}

function inHostNames<Value>(byScheme: Record<string, Value>): Record<string, Value> {
  return Object.fromEntries(
    Object.entries(byScheme).map(([name, value]) => [schemeNames[name] ?? name, value]),
  )
}

/** The parameters of each place, as the schema of an object. */
function toSchemas(parameters: readonly ParameterObject[]): Record<string, object> {
  const byPlace = Map.groupBy(parameters, (parameter) => places[parameter.in])
  const entries = [...byPlace].map(([place, listed]) => {
    const named = Object.fromEntries(listed.map((parameter) => [parameter.name, parameter]))
    const required = listed.filter((parameter) => parameter.required === true)
    return [
      place,
      {
        type: 'object',
        properties: mapValues(named, withDescription),
        required: required.map(({ name }) => name),
      },
    ]
  })
  return Object.fromEntries(entries)
}

/** A parameter or a header field, as the schema of its value. */
function withDescription({ description, schema }: JsonSchema | ParameterObject): JsonSchema {
  return { ...(description !== undefined && { description }), ...Object(schema) }
}

function mapValues<Value, Result>(
  values: Record<string, Value>,
  map: (value: Value) => Result,
): Record<string, Result> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value)]))
}

/** Replaces all references by the parts that they name. */
function inlineReferences<T>(value: T, document: OpenApiDocument): T {
  return JSON.parse(JSON.stringify(value), (_name, part: unknown) => {
    if (typeof part !== 'object' || part === null || !('$ref' in part)) return part
    const [kind = '', name = ''] = String(part.$ref).split('/').slice(2)
    const shared = Reflect.get(document.components, kind)
    return inlineReferences(Reflect.get(Object(shared), name), document)
  })
}

/**
 * Rewrites members of JSON Schema to their equivalents in OpenAPI 3.0, which 3.1 still supports, and drops the rest.
 */
function toOpenApi30Terms<T>(description: T): T {
  return JSON.parse(JSON.stringify(description), (name, part: unknown) => {
    if (name === 'propertyNames') return undefined
    if (typeof part !== 'object' || part === null || !('examples' in part)) return part
    const { examples, ...rest } = part
    return Array.isArray(examples) ? { ...rest, example: examples[0] } : part
  })
}

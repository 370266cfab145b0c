import { STATUS_CODES } from 'node:http'
import { z } from 'zod'
import { type HttpErrorCode, maxIssues } from '../errors.ts'
import { TimeSlice } from '../time-slice.ts'
import { statusByCode } from './problem-details.ts'
import type { DocumentedResponse, Route } from './route.ts'

type JsonSchema = Record<string, unknown>

/** Codes that every route with an API key can answer with. */
const commonErrors: HttpErrorCode[] = [
  'header_repeated',
  'api_key_missing',
  'api_key_invalid',
  'scope_insufficient',
  'storage_unavailable',
  'internal_error',
]
const bodyErrors: HttpErrorCode[] = ['malformed_json', 'body_too_large', 'media_type_unsupported']

const problemSchema: JsonSchema = {
  type: 'object',
  description: 'Problem details (RFC 9457). Decide by `code`.',
  required: ['type', 'title', 'status', 'detail', 'code'],
  properties: {
    type: { type: 'string', examples: ['urn:clientele:problem:user_not_found'] },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    code: { type: 'string', enum: Object.keys(statusByCode) },
    errors: {
      type: 'array',
      description: 'The broken rules, up to 100 of them',
      maxItems: maxIssues,
      items: {
        type: 'object',
        required: ['pointer', 'code', 'message'],
        properties: {
          pointer: { type: 'string', description: 'JSON Pointer (RFC 6901)', examples: ['/name'] },
          code: { type: 'string', examples: ['too_short'] },
          message: { type: 'string', examples: ['must have at least 2 characters'] },
        },
      },
    },
    isValid: { const: false, description: 'On problems of a token that is being validated' },
  },
}

/** Makes the OpenAPI 3.1 document of the route table, a slice of time after the other. */
export async function createOpenApiDocument(routes: readonly Route[]): Promise<JsonSchema> {
  const slice = new TimeSlice()
  const schemas: Record<string, JsonSchema> = { Problem: problemSchema }
  const paths: Record<string, Record<string, JsonSchema>> = {}
  for (const route of routes) {
    if (slice.isOver) await slice.next()
    const operations = paths[route.path] ?? {}
    paths[route.path] = operations
    operations[route.method.toLowerCase()] = describeOperation(route, schemas)
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Clientele',
      version: '1.0.0',
      summary:
        "A multi-tenant user service: manage an account's client users and validate their tokens.",
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '../..', description: 'Where the routes are mounted' }],
    security: [{ apiKey: [] }],
    tags: describeTags(routes),
    paths,
    components: {
      schemas,
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          description: 'An API key of the account: `cu_…`',
        },
      },
    },
  }
}

function describeTags(routes: readonly Route[]): JsonSchema[] {
  return [...Map.groupBy(routes, (route) => route.tag)].map(([name, tagged]) => ({
    name,
    description: `${tagged.map((route) => route.summary).join('. ')}.`,
  }))
}

function describeOperation(route: Route, schemas: Record<string, JsonSchema>): JsonSchema {
  const parameters = [
    ...describeParameters('path', route.pathSchema, schemas),
    ...describeParameters('query', route.querySchema, schemas),
    ...Object.entries(route.requestHeaders ?? {}).map(([name, description]) => ({
      name,
      in: 'header',
      description,
      schema: { type: 'string' },
    })),
  ]
  const operation: JsonSchema = {
    operationId: route.id,
    summary: route.summary,
    tags: [route.tag],
    responses: { ...describeSuccesses(route, schemas), ...describeProblems(route) },
  }
  if (route.scope === undefined) operation.security = []
  else operation.description = `Needs an API key with the scope \`${route.scope}\`.`
  if (parameters.length > 0) operation.parameters = parameters
  if (route.bodySchema !== undefined) {
    const schema = toJsonSchema(route.bodySchema, 'input', schemas)
    const content = { schema, ...exampleOf(schema, schemas) }
    const merge = route.acceptsMergePatch ? { 'application/merge-patch+json': content } : {}
    operation.requestBody = { required: true, content: { 'application/json': content, ...merge } }
  }
  return operation
}

function describeParameters(
  place: 'path' | 'query',
  schema: z.ZodType | undefined,
  schemas: Record<string, JsonSchema>,
): JsonSchema[] {
  if (schema === undefined) return []
  const { properties = {}, required = [] } = toJsonSchema(schema, 'input', schemas) as {
    properties?: Record<string, JsonSchema>
    required?: string[]
  } // the schema of an object
  return Object.entries(properties).map(([name, { description, ...property }]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    ...(description === undefined ? {} : { description }),
    schema: property,
  }))
}

function describeSuccesses(
  route: Route,
  schemas: Record<string, JsonSchema>,
): Record<string, JsonSchema> {
  const entries = Object.entries(route.responses).map(
    ([status, response]): [string, JsonSchema] => {
      const description: JsonSchema = { description: response.description }
      if (response.headers !== undefined) description.headers = describeHeaders(response.headers)
      if (response.schema !== undefined) description.content = describeContent(response, schemas)
      return [status, description]
    },
  )
  return Object.fromEntries(entries)
}

function describeContent(
  response: DocumentedResponse,
  schemas: Record<string, JsonSchema>,
): JsonSchema {
  const schema = response.schema && toJsonSchema(response.schema, 'output', schemas)
  return {
    [response.contentType ?? 'application/json']: {
      schema,
      ...(schema ? exampleOf(schema, schemas) : {}),
    },
  }
}

function describeHeaders(headers: Record<string, string>): JsonSchema {
  const entries = Object.entries(headers).map(([name, description]) => [
    name,
    { description, schema: { type: 'string' } },
  ])
  return Object.fromEntries(entries)
}

function describeProblems(route: Route): Record<string, JsonSchema> {
  const codes = new Set<HttpErrorCode>(route.errors)
  if (route.scope !== undefined) for (const code of commonErrors) codes.add(code)
  if (route.bodySchema !== undefined) for (const code of bodyErrors) codes.add(code)
  if (route.requestHeaders !== undefined) codes.add('header_invalid')
  if (route.bodySchema ?? route.querySchema ?? route.pathSchema) codes.add('validation_failed')
  const byStatus = Map.groupBy(codes, (code) => statusByCode[code])
  const entries = [...byStatus].map(([status, list]) => {
    const examples = list.map((code) => [
      code,
      {
        value: {
          type: `urn:clientele:problem:${code}`,
          title: STATUS_CODES[status],
          status,
          detail: '…',
          code,
        },
      },
    ])
    const content = {
      schema: { $ref: '#/components/schemas/Problem' },
      examples: Object.fromEntries(examples),
    }
    const description = `${STATUS_CODES[status]}: ${list.map((code) => `\`${code}\``).join(', ')}`
    return [String(status), { description, content: { 'application/problem+json': content } }]
  })
  return Object.fromEntries(entries)
}

/** Turns a zod schema into JSON Schema; schemas with an id go to the components. */
function toJsonSchema(
  schema: z.ZodType,
  io: 'input' | 'output',
  schemas: Record<string, JsonSchema>,
): JsonSchema {
  const { $schema, $defs, ...json } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    target: 'draft-2020-12',
  }) as JsonSchema & { $defs?: Record<string, JsonSchema> }
  for (const [name, definition] of Object.entries($defs ?? {}))
    schemas[name] ??= withRefs(withoutId(definition))
  const { id } = json
  if (typeof id !== 'string') return withRefs(json)
  schemas[id] ??= withRefs(withoutId(json))
  return { $ref: `#/components/schemas/${id}` }
}

function withoutId({ id: _id, ...schema }: JsonSchema): JsonSchema {
  return schema
}

function withRefs(schema: JsonSchema): JsonSchema {
  const text = JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/')
  return JSON.parse(text, (_name, value) => describeDefault(value)) as JsonSchema
}

/** Says a default in words: generators of clients take a member that has one for a member that must be sent. */
function describeDefault(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('default' in value)) return value
  const { default: fallback, ...schema } = value as JsonSchema // an object
  const words = [schema.description, `When missing: \`${JSON.stringify(fallback)}\`.`]
  return { ...schema, description: words.filter((each) => each !== undefined).join(' ') }
}

/** An example made of the examples of a schema's members, when each that is required has one. */
function exampleOf(schema: JsonSchema, schemas: Record<string, JsonSchema>): { example?: unknown } {
  const example = exampleValue(schema, schemas)
  return example === undefined ? {} : { example }
}

function exampleValue(schema: JsonSchema, schemas: Record<string, JsonSchema>): unknown {
  if (typeof schema.$ref === 'string') {
    const target = schemas[schema.$ref.replace('#/components/schemas/', '')]
    return target && exampleValue(target, schemas)
  }
  if (Array.isArray(schema.examples)) return schema.examples[0]
  if ('const' in schema) return schema.const
  if (Array.isArray(schema.enum)) return schema.enum[0]
  if (schema.type === 'array') {
    const item = exampleValue((schema.items ?? {}) as JsonSchema, schemas) // JSON Schema's own shape
    return item === undefined ? [] : [item]
  }
  if (schema.type === 'integer') return 1
  if (schema.type === 'boolean') return true
  if (schema.type === 'string') return '…'
  if (schema.properties === undefined) return undefined
  const entries = Object.entries(schema.properties as Record<string, JsonSchema>).filter(
    ([, property]) => property.readOnly !== true,
  )
  return Object.fromEntries(
    entries.map(([name, property]) => [name, exampleValue(property, schemas)]),
  )
}

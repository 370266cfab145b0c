import type { HeaderField } from '../header-fields.ts'
import type { JsonSchema, NamedSchemas } from './json-schema.ts'
import type {
  MediaDescription,
  OperationDescription,
  ParametersDescription,
  ResponseDescription,
} from './operation-description.ts'

/** What operations of a document share, by name. */
export interface Components {
  schemas: NamedSchemas
  headers: Record<string, JsonSchema>
  examples: Record<string, { value: unknown }>
}

export function createComponents(): Components {
  return { schemas: {}, headers: {}, examples: {} }
}

/** Turns a description into an Operation Object (OpenAPI 3.1); what others have too goes to `components`. */
export function toOperation(
  { scope, params, querystring, headers, body, response, ...about }: OperationDescription,
  components: Components,
): JsonSchema {
  const parameters = [
    ...toParameterObjects('path', params),
    ...toParameterObjects('query', querystring),
    ...toParameterObjects('header', headers),
  ]
  const responses = Object.entries(response).map(([status, described]) => [
    status,
    toResponse(described, components),
  ])
  return {
    ...about,
    ...(scope === null && { security: [] }),
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: { required: true, ...body } }),
    responses: Object.fromEntries(responses),
  }
}

function toParameterObjects(
  place: 'path' | 'query' | 'header',
  parameters: ParametersDescription | undefined,
): JsonSchema[] {
  const { properties = {}, required = [] } = parameters ?? {}
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    ...(description === undefined ? {} : { description }),
    schema,
  }))
}

function toResponse(
  { description, headers, content }: ResponseDescription,
  components: Components,
): JsonSchema {
  const fields = Object.entries(headers).map(([name, field]) => [
    name,
    shareHeader(name, field, components),
  ])
  const media = Object.entries(content ?? {}).map(([type, described]) => [
    type,
    shareExamples(described, components),
  ])
  return {
    description,
    headers: Object.fromEntries(fields),
    ...(content && { content: Object.fromEntries(media) }),
  }
}

function shareHeader(
  name: string,
  { description, ...schema }: HeaderField,
  { headers }: Components,
): JsonSchema {
  headers[name] ??= { description, schema }
  return { $ref: `#/components/headers/${name}` }
}

function shareExamples(media: MediaDescription, { examples: shared }: Components): JsonSchema {
  const { examples, ...rest } = media
  if (examples === undefined) return { ...rest }
  const entries = Object.entries(examples).map(([name, example]) => {
    shared[name] ??= example
    const isSame = JSON.stringify(shared[name]) === JSON.stringify(example)
    return [name, isSame ? { $ref: `#/components/examples/${name}` } : example]
  })
  return { ...rest, examples: Object.fromEntries(entries) }
}

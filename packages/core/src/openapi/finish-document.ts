import { isPlainObject } from '../base/input/json.ts'
import type { JsonSchema, MediaTypeObject, OpenApiDocument } from './open-api-document.ts'

/** Gives each body an example, and says defaults where generators of clients understand them. */
export function finishDocument(document: OpenApiDocument): void {
  const { components, paths } = document
  components.schemas = sayDefaults(components.schemas)
  for (const operation of Object.values(paths).flatMap((item) => Object.values(item))) {
    for (const { schema } of operation.parameters ?? []) {
      // A parameter is text until it is read. Its default stays: nobody takes it for required.
      if (schema.type === 'integer' && 'default' in schema) schema.default = Number(schema.default)
    }
    const bodies = [operation.requestBody, ...Object.values(operation.responses)]
    for (const media of bodies.flatMap((body) => Object.values(body?.content ?? {}))) {
      finishMedia(media, components.schemas)
    }
  }
}

function finishMedia(media: MediaTypeObject, named: Record<string, JsonSchema>): void {
  media.schema = sayDefaults(media.schema)
  if (media.examples === undefined) media.example = exampleOf(media.schema, named)
}

/** Says a default in words: generators of clients take a member that has one for a member that must be sent. */
function sayDefaults<T extends object>(schema: T): T {
  return JSON.parse(JSON.stringify(schema), (_name, part: unknown) => {
    if (!isPlainObject(part) || !('default' in part)) return part
    const { default: fallback, ...rest } = part
    const words = [rest.description, `When missing: \`${JSON.stringify(fallback)}\`.`]
    return { ...rest, description: words.filter((each) => each !== undefined).join(' ') }
  })
}

/** An example made of the examples of a schema's members; a member without one is left out. */
function exampleOf(schema: JsonSchema, named: Record<string, JsonSchema>): unknown {
  const target = typeof schema.$ref === 'string' ? named[nameIn(schema.$ref)] : undefined
  if (target !== undefined) return exampleOf(target, named)
  if (Array.isArray(schema.examples)) return schema.examples[0]
  if ('const' in schema) return schema.const
  if (Array.isArray(schema.enum)) return schema.enum[0]
  if (Array.isArray(schema.anyOf)) return exampleOf(schema.anyOf[0], named)
  if (schema.type === 'array') {
    const item = exampleOf((schema.items ?? {}) as JsonSchema, named) // JSON Schema's own shape
    return item === undefined ? [] : [item]
  }
  if (schema.type === 'boolean') return true
  if (schema.properties === undefined) return undefined
  // JSON Schema's own shape
  const entries = Object.entries(schema.properties as Record<string, JsonSchema>).filter(
    ([, property]) => property.readOnly !== true,
  )
  const examples = entries.map(([name, property]) => [name, exampleOf(property, named)] as const)
  return Object.fromEntries(examples.filter(([, example]) => example !== undefined))
}

/** The name of the component that a reference leads to. */
export function nameIn(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1)
}

import { isPlainObject } from '../base/input/json.ts'
import type { JsonSchema, MediaTypeObject, OpenApiDocument } from './open-api-document.ts'

/** Adds an example to each body, and describes defaults so that client generators handle them correctly. */
export function finishDocument(document: OpenApiDocument): void {
  const { components, paths } = document
  components.schemas = sayDefaults(components.schemas)
  for (const operation of Object.values(paths).flatMap((item) => Object.values(item))) {
    for (const { schema } of operation.parameters ?? []) {
      // Parameters keep their default: client generators do not take them for required.
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

/** Moves a default to the description: client generators take a member with a default for a required one. */
function sayDefaults<T extends object>(schema: T): T {
  return JSON.parse(JSON.stringify(schema), (_name, part: unknown) => {
    if (!isPlainObject(part) || !('default' in part)) return part
    const { default: fallback, ...rest } = part
    const words = [rest.description, `When missing: \`${JSON.stringify(fallback)}\`.`]
    return { ...rest, description: words.filter((each) => each !== undefined).join(' ') }
  })
}

/** An example that is made of the members' examples; members without one are left out. */
function exampleOf(schema: JsonSchema, named: Record<string, JsonSchema>): unknown {
  const target = typeof schema.$ref === 'string' ? named[nameIn(schema.$ref)] : undefined
  if (target !== undefined) return exampleOf(target, named)
  if (Array.isArray(schema.examples)) return schema.examples[0]
  if ('const' in schema) return schema.const
  if (Array.isArray(schema.enum)) return schema.enum[0]
  if (Array.isArray(schema.anyOf)) return exampleOf(schema.anyOf[0], named)
  if (schema.type === 'array') {
    const item = exampleOf((schema.items ?? {}) as JsonSchema, named) // the shape that JSON Schema defines
    return item === undefined ? [] : [item]
  }
  if (schema.type === 'boolean') return true
  if (schema.properties === undefined) return undefined
  // The shape that JSON Schema defines
  const entries = Object.entries(schema.properties as Record<string, JsonSchema>).filter(
    ([, property]) => property.readOnly !== true,
  )
  const examples = entries.map(([name, property]) => [name, exampleOf(property, named)] as const)
  return Object.fromEntries(examples.filter(([, example]) => example !== undefined))
}

/** The name of the component that a reference points to. */
export function nameIn(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1)
}

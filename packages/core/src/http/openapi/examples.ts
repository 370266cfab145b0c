import { findTarget, type JsonSchema, type NamedSchemas } from './json-schema.ts'

/** An example made of the examples of a schema's members; a member without one is left out. */
export function exampleOf(schema: JsonSchema, named: NamedSchemas): unknown {
  const target = findTarget(schema, named)
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
  const entries = Object.entries(schema.properties as NamedSchemas).filter(
    ([, property]) => property.readOnly !== true,
  )
  const examples = entries.map(([name, property]) => [name, exampleOf(property, named)] as const)
  return Object.fromEntries(examples.filter(([, example]) => example !== undefined))
}

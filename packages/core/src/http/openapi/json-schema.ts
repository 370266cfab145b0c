import { z } from 'zod'

export type JsonSchema = Record<string, unknown>
/** Schemas that have a name, by that name */
export type NamedSchemas = Record<string, JsonSchema>

const refPrefix = '#/components/schemas/'

/** Turns a zod schema into JSON Schema; schemas with an id go to `named`, and a `$ref` stands in their place. */
export function toJsonSchema(
  schema: z.ZodType,
  io: 'input' | 'output',
  named: NamedSchemas,
): JsonSchema {
  const json = convert(schema, io, named)
  const { id, ...rest } = json
  if (typeof id !== 'string') return sayDefaults(json)
  named[id] ??= sayDefaults(rest)
  return { $ref: refPrefix + id }
}

/** The schemas of parameters, by name, and which of them are required. Defaults stay: nobody takes them for required. */
export function toParameters(
  schema: z.ZodType,
  named: NamedSchemas,
): { properties: NamedSchemas; required: string[] } {
  const { properties = {}, required = [] } = convert(schema, 'input', named) as {
    properties?: NamedSchemas
    required?: string[]
  } // the schema of an object
  for (const property of Object.values(properties)) {
    // A parameter is text until it is read.
    if (property.type === 'integer' && typeof property.default === 'string')
      property.default = Number(property.default)
  }
  return { properties, required }
}

/** Puts what they name in the place of all `$ref`s. */
export function inlineRefs<T>(value: T, named: NamedSchemas): T {
  const text = JSON.stringify(value)
  return JSON.parse(text, (_name, part: unknown) => {
    const target = findTarget(part, named)
    return target === undefined ? part : inlineRefs(target, named)
  }) as T // of the same form, with a schema for each reference to one
}

/** The schema that a reference names; undefined when it is none. */
export function findTarget(part: unknown, named: NamedSchemas): JsonSchema | undefined {
  if (typeof part !== 'object' || part === null || !('$ref' in part)) return undefined
  return named[String(part.$ref).replace(refPrefix, '')]
}

function convert(schema: z.ZodType, io: 'input' | 'output', named: NamedSchemas): JsonSchema {
  const { $schema, $defs, ...json } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    target: 'draft-2020-12',
    override: ({ zodSchema, jsonSchema }) => {
      // What is read from text loses its examples, which show what is sent.
      const { examples } = z.globalRegistry.get(zodSchema) ?? {}
      if (Array.isArray(examples)) jsonSchema.examples ??= examples
    },
  }) as JsonSchema & { $defs?: NamedSchemas }
  for (const [name, { id: _id, ...definition }] of Object.entries($defs ?? {}))
    named[name] ??= sayDefaults(tidy(definition))
  return tidy(json)
}

function tidy(schema: JsonSchema): JsonSchema {
  const text = JSON.stringify(schema).replaceAll('"#/$defs/', `"${refPrefix}`)
  return JSON.parse(text, (_name, part: unknown) => (isObject(part) ? withoutEcho(part) : part))
}

/** Leaves out a pattern that says again, at length, what a format or a type says. */
function withoutEcho(schema: JsonSchema): JsonSchema {
  const isSaid = schema.format === 'date-time' || schema.type === 'integer'
  if (!isSaid || !('pattern' in schema)) return schema
  const { pattern: _pattern, ...rest } = schema
  return rest
}

/** Says a default in words: generators of clients take a member that has one for a member that must be sent. */
function sayDefaults(schema: JsonSchema): JsonSchema {
  return JSON.parse(JSON.stringify(schema), (_name, part: unknown) => {
    if (!isObject(part) || !('default' in part)) return part
    const { default: fallback, ...rest } = part
    const words = [rest.description, `When missing: \`${JSON.stringify(fallback)}\`.`]
    return { ...rest, description: words.filter((each) => each !== undefined).join(' ') }
  })
}

function isObject(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

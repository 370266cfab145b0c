import { english } from '../../english.ts'
import { nameOf, type Schema } from './open-api.ts'

const t = english.reference.schema

/** Describes a value's type in a few words: `string (email)`, `list of Passkey`. */
export function nameType(schema: Schema): string {
  const name = nameOf(schema)
  if (name !== undefined) return name
  const choices = schema.anyOf ?? schema.oneOf
  if (choices) return choices.map(nameType).join(t.or)
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  const types = [schema.type ?? t.any].flat().map((type) => {
    if (type === 'array') return t.listOf(schema.items ? nameType(schema.items) : t.any)
    if (type === 'string' && schema.format !== undefined) return `string (${schema.format})`
    return type
  })
  return types.join(t.or)
}

/** The bounds of a value, in words: `3 to 254 characters`. */
export function describeBounds(schema: Schema): string {
  return [
    describeRange(schema.minLength, schema.maxLength, t.characters),
    describeRange(schema.minimum, schema.maximum, ''),
    describeRange(schema.minItems, schema.maxItems, t.entries),
    describeRange(undefined, schema.maxProperties, t.members),
    schema.default === undefined ? '' : t.byDefault(JSON.stringify(schema.default)),
  ]
    .filter((words) => words !== '')
    .join(', ')
}

function describeRange(low: number | undefined, high: number | undefined, what: string): string {
  if (high === undefined || high > Number.MAX_SAFE_INTEGER - 1)
    return low === undefined || low === 0 ? '' : `${t.from(low)}${what}`
  return low === undefined || low === 0 ? `${t.upTo(high)}${what}` : `${t.range(low, high)}${what}`
}

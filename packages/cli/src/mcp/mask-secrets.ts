import type { OpenApiDocument } from '@clientele/core'
import { isObject } from '../is-object.ts'
import { type JsonSchema, resolveReference } from './api-document.ts'

/** What stands in the place of a secret */
export const mask = '(masked: only clientele mcp --secrets shows it)'

/** Copies an answer without its secrets: what its schema has as `format: password`. */
export function maskSecrets(
  value: unknown,
  schema: JsonSchema,
  document: OpenApiDocument,
): unknown {
  if (value === null || value === undefined) return value
  if (isSecret(schema)) return mask
  const masked = alternativesOf(schema, document).reduce<unknown>(
    (left, each) => maskSecrets(left, each, document),
    value,
  )
  if (Array.isArray(masked)) {
    const { items } = schema
    return isObject(items) ? masked.map((each) => maskSecrets(each, items, document)) : masked
  }
  if (!isObject(masked)) return masked
  return Object.fromEntries(
    Object.entries(masked).map(([name, member]) => {
      const own = memberSchema(schema, name)
      return [name, own === undefined ? member : maskSecrets(member, own, document)]
    }),
  )
}

/** Whether an answer of this schema may have a secret. */
export function hasSecret(
  schema: JsonSchema,
  document: OpenApiDocument,
  seen = new Set<unknown>(),
): boolean {
  if (isSecret(schema)) return true
  if (seen.has(schema)) return false
  seen.add(schema)
  const { properties, items, additionalProperties } = schema
  return [
    ...alternativesOf(schema, document),
    ...(isObject(properties) ? Object.values(properties) : []),
    items,
    additionalProperties,
  ].some((each) => isObject(each) && hasSecret(each, document, seen))
}

function isSecret({ format }: JsonSchema): boolean {
  return format === 'password'
}

/** The schemas that may describe the same value: what one of them hides is hidden. */
function alternativesOf(schema: JsonSchema, document: OpenApiDocument): JsonSchema[] {
  const { $ref, anyOf, oneOf, allOf } = schema
  const named = typeof $ref === 'string' ? [resolveReference($ref, document)] : []
  return [...named, ...[anyOf, oneOf, allOf].flat().filter(isObject)]
}

function memberSchema(
  { properties, additionalProperties }: JsonSchema,
  name: string,
): JsonSchema | undefined {
  const own = isObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined
  const schema = own ?? additionalProperties
  return isObject(schema) ? schema : undefined
}

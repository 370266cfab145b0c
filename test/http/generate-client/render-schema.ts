import type { JsonSchema } from '@clientele/core'

/** The type of a JSON Schema's values, in TypeScript, without read-only members, which callers need not send. */
export function renderType(schema: JsonSchema, indent = ''): string {
  const { $ref, type, items, properties } = schema
  if (typeof $ref === 'string') return $ref.slice($ref.lastIndexOf('/') + 1)
  if ('const' in schema) return renderValue(schema.const)
  if (Array.isArray(schema.enum)) return renderUnion(schema.enum.map(renderValue), indent)
  const parts = schema.anyOf ?? schema.oneOf
  if (Array.isArray(parts)) {
    return renderUnion(
      parts.map((part) => renderType(part, indent)),
      indent,
    )
  }
  if (type === 'array') {
    const item = renderType((items ?? {}) as JsonSchema, indent) // JSON Schema's own shape
    return /[|\s]/.test(item) && !item.endsWith('}') ? `(${item})[]` : `${item}[]`
  }
  if (properties !== undefined || type === 'object') return renderObject(schema, indent)
  return (
    { string: 'string', integer: 'number', number: 'number', boolean: 'boolean', null: 'null' }[
      String(type)
    ] ?? 'unknown'
  )
}

/** A member with what is said of it: `  /** … *\/`, `  name?: string | undefined`. */
export function renderMember(
  name: string,
  schema: JsonSchema,
  isRequired: boolean,
  indent: string,
): string[] {
  const type = renderType(schema, indent)
  const isLong = type.startsWith('\n')
  const optional = isLong ? `${type}\n${indent}  | undefined` : `${type} | undefined`
  return [
    ...renderComment(schema.description, indent),
    `${indent}${renderName(name)}${isRequired ? ':' : '?:'}${isLong ? '' : ' '}${isRequired ? type : optional}`,
  ]
}

export function renderComment(text: unknown, indent: string): string[] {
  return typeof text === 'string' ? [`${indent}/** ${text.replaceAll('*/', '*\\/')} */`] : []
}

const renderName = (name: string): string => (/^\w+$/.test(name) ? name : `'${name}'`)
const renderValue = (value: unknown): string =>
  typeof value === 'string' ? `'${value}'` : JSON.stringify(value)

function renderUnion(parts: readonly string[], indent: string): string {
  const unique = [...new Set(parts)].map((part) => (part === 'true' ? 'true' : part))
  if (unique.length === 2 && unique.includes('true') && unique.includes('false')) return 'boolean'
  return unique.length > 6
    ? unique.map((part) => `\n${indent}  | ${part}`).join('')
    : unique.join(' | ')
}

function renderObject(schema: JsonSchema, indent: string): string {
  // JSON Schema's own shapes
  const properties = (schema.properties ?? {}) as Record<string, JsonSchema>
  const required = (schema.required ?? []) as string[]
  const { additionalProperties: more } = schema
  const inner = `${indent}  `
  const lines = Object.entries(properties)
    .filter(([, property]) => property.readOnly !== true)
    .flatMap(([name, property]) => renderMember(name, property, required.includes(name), inner))
  const isOpen = typeof more === 'object' || more === true
  const rest =
    isOpen && typeof more === 'object' ? renderType(more as JsonSchema, inner) : 'unknown' // a schema
  if (lines.length === 0) return isOpen ? `Record<string, ${rest}>` : 'Record<string, never>'
  if (isOpen) lines.push(`${inner}[member: string]: unknown`)
  return `{\n${lines.join('\n')}\n${indent}}`
}

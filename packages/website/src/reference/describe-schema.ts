import { escapeCell, escapeText, joinParts, toCode, toTable } from './markdown.ts'
import type { Schema } from './read-operations.ts'

/** A schema in a few words, with a link to its members when it has a name. */
export function nameSchema(schema: Schema): string {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.split('/').at(-1) ?? ''
    return `[${name}](#${name.toLowerCase()})`
  }
  if (schema.anyOf !== undefined) return schema.anyOf.map(nameSchema).join(' or ')
  if (schema.const !== undefined) return toCode(JSON.stringify(schema.const))
  if (schema.enum !== undefined && schema.enum.length <= 8)
    return schema.enum.map((each) => toCode(JSON.stringify(each))).join(', ')
  if (schema.items !== undefined) return `array of ${nameSchema(schema.items)}`
  const type = [schema.type ?? 'any'].flat().join(' or ')
  return schema.format === undefined ? type : `${type} (${schema.format})`
}

/** The members of an object, and of the objects in it. */
export function describeSchema(schema: Schema): string {
  const rows = listMembers(schema, '')
  const alternatives = schema.anyOf?.map(nameSchema).join(' or ') ?? ''
  return joinParts(
    escapeText(schema.description ?? ''),
    alternatives,
    toTable(['member', 'type', ''], rows),
  )
}

function listMembers({ properties = {}, required = [] }: Schema, prefix: string): string[][] {
  return Object.entries(properties).flatMap(([name, member]) => {
    const path = prefix + name
    const isRequired = required.includes(name)
    const inner = [member, member.items ?? {}, ...(member.anyOf ?? [])]
    const row = [
      toCode(isRequired ? path : `${path}?`),
      nameSchema(member),
      joinSentences(escapeCell(member.description ?? ''), describeLimits(member)),
    ]
    const below = inner.flatMap((each) =>
      listMembers(each, member.items === each ? `${path}[].` : `${path}.`),
    )
    return [row, ...below]
  })
}

function joinSentences(...sentences: string[]): string {
  return sentences
    .filter((each) => each !== '')
    .map((each) => (/[.!?]$/.test(each) ? each : `${each}.`))
    .join(' ')
}

function describeLimits(schema: Schema): string {
  const { minLength, maxLength, minimum, maximum, minItems, maxItems } = schema
  const range = (min: number | undefined, max: number | undefined, what: string): string[] => {
    if (min === undefined && max === undefined) return []
    if (min === undefined) return [`At most ${max}${what}`]
    return [max === undefined ? `At least ${min}${what}` : `${min} to ${max}${what}`]
  }
  return [
    ...range(minLength, maxLength, ' characters'),
    ...range(minimum, maximum, ''),
    ...range(minItems, maxItems, ' entries'),
    ...(schema.default === undefined ? [] : [`Default: ${toCode(JSON.stringify(schema.default))}`]),
  ].join('. ')
}

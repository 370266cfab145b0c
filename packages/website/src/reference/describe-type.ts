import ts from 'typescript'
import { joinParts, toBlock, toCode, toTable } from './markdown.ts'
import type { Declarations } from './read-declarations.ts'
import { readDocs } from './read-docs.ts'

const format =
  ts.TypeFormatFlags.NoTruncation |
  ts.TypeFormatFlags.UseAliasDefinedOutsideCurrentScope |
  ts.TypeFormatFlags.UseSingleQuotesForStringLiteralType

/** A type in one line, without what TypeScript adds for a member that may be missing. */
export function printType(type: ts.Type, { checker }: Declarations, isOptional = false): string {
  const text = checker.typeToString(type, undefined, format)
  return isOptional ? text.replace(/ \| undefined$/, '').replace(/^undefined \| /, '') : text
}

/** Text in which the names of exported types lead to what they are. */
export function linkTypes(text: string, { types }: Declarations): string {
  const names = new Set(text.match(/\b[A-Z]\w+\b/g) ?? [])
  const known = [...names].filter((name) => types.has(name))
  return known
    .map((name) => `[${toCode(name)}](/reference/types/#${name.toLowerCase()})`)
    .join(', ')
}

/** The members of a type as a table; anything else as it is written. */
export function describeType(symbol: ts.Symbol, declarations: Declarations): string {
  const { checker } = declarations
  const type = checker.getDeclaredTypeOfSymbol(symbol)
  const members = type.isUnion() || isPlain(type) ? [] : type.getProperties()
  if (members.length === 0 || type.getCallSignatures().length > 0) {
    return toBlock('ts', `type ${symbol.name} = ${expand(type, declarations)}`)
  }
  return toTable(
    ['member', 'type', ''],
    members.map((member) => describeMember(member, declarations)),
  )
}

function describeMember(member: ts.Symbol, declarations: Declarations): string[] {
  const { checker } = declarations
  const isOptional = (member.flags & ts.SymbolFlags.Optional) !== 0
  const docs = readDocs(member, checker)
  const type = printType(checker.getTypeOfSymbol(member), declarations, isOptional)
  const text = joinParts(docs.text, docs.fallback && `Default: ${docs.fallback}`)
  return [toCode(member.name + (isOptional ? '?' : '')), toCode(shorten(type)), escapeLinks(text)]
}

/** A docstring that is escaped already, in one line. */
function escapeLinks(text: string): string {
  return text.replaceAll(/\s+/g, ' ').replaceAll('|', '\\|')
}

function isPlain(type: ts.Type): boolean {
  return (type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)) === 0
}

function expand(type: ts.Type, { checker }: Declarations): string {
  const flags = format | ts.TypeFormatFlags.InTypeAlias | ts.TypeFormatFlags.MultilineObjectLiterals
  return checker.typeToString(type, undefined, flags)
}

/** A type that is longer than a line says little in a table. */
function shorten(type: string): string {
  return type.length > 160 ? `${type.slice(0, 157)}…` : type
}

import ts from 'typescript'
import type { Page } from '../pages/page.ts'
import { linkTypes, printType } from './describe-type.ts'
import { joinParts, toBlock } from './markdown.ts'
import type { Declarations } from './read-declarations.ts'
import { readDocs } from './read-docs.ts'

/** Every option of `createClientele`, those inside other options too. */
export function describeOptions(declarations: Declarations): Page {
  const symbol = declarations.types.get('ClienteleOptions')
  if (symbol === undefined) throw new Error('@clientele/core does not export ClienteleOptions.')
  const type = declarations.checker.getDeclaredTypeOfSymbol(symbol)
  return {
    route: '/reference/options/',
    title: 'Options',
    text: joinParts(
      '# Options of `createClientele`',
      'Only `repository` is required. An unknown option is refused, with its name: `configuration_invalid`.',
      ...type.getProperties().map((option) => describeOption(option, '', 2, declarations)),
    ),
  }
}

function describeOption(
  option: ts.Symbol,
  prefix: string,
  level: number,
  declarations: Declarations,
): string {
  const { checker } = declarations
  const name = prefix + option.name
  const docs = readDocs(option, checker)
  const type = checker.getNonNullableType(checker.getTypeOfSymbol(option))
  const inner = isBag(type, checker) ? type.getProperties() : []
  const isOptional = (option.flags & ts.SymbolFlags.Optional) !== 0
  const printed = printType(type, declarations, isOptional)
  const types = linkTypes(printed, declarations)
  return joinParts(
    `${'#'.repeat(level)} ${name}`,
    docs.text,
    inner.length > 0 ? '' : toBlock('ts', `${name}${isOptional ? '?' : ''}: ${printed}`),
    docs.fallback && `Default: ${docs.fallback}`,
    docs.example,
    types && inner.length === 0 ? `Types: ${types}` : '',
    ...inner.map((each) => describeOption(each, `${name}.`, 3, declarations)),
  )
}

/** An object whose members are options, all of which may be missing. */
function isBag(type: ts.Type, checker: ts.TypeChecker): boolean {
  const isObject = (type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)) !== 0
  const members = type.getProperties()
  return (
    isObject &&
    !checker.isArrayType(type) &&
    type.getCallSignatures().length === 0 &&
    members.length > 0 &&
    members.every(({ flags }) => (flags & ts.SymbolFlags.Optional) !== 0)
  )
}

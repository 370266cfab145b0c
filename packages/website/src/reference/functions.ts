import ts from 'typescript'
import type { Page } from '../pages/page.ts'
import { describeType } from './describe-type.ts'
import { joinParts } from './markdown.ts'
import { describeMethod } from './methods.ts'
import type { Declarations } from './read-declarations.ts'
import { readDocs } from './read-docs.ts'

/** The functions that programs import, by where they import them from. */
export function describeFunctions(declarations: Declarations): Page {
  const modules = [...declarations.modules].map(([specifier, symbols]) => {
    const functions = symbols.filter(({ flags }) => (flags & ts.SymbolFlags.Function) !== 0)
    const described = functions.map((each) =>
      describeMethod(each, '', declarations).replace(/^## /, '### '),
    )
    return described.length === 0 ? '' : joinParts(`## \`${specifier}\``, ...described)
  })
  return {
    route: '/reference/functions/',
    title: 'Functions',
    text: joinParts(
      '# Functions of the packages',
      'What programs import beside the methods of the object that `createClientele` returns.',
      ...modules,
    ),
  }
}

/** Every type that the packages export. */
export function describeTypes(declarations: Declarations): Page {
  const { checker, types } = declarations
  const symbols = [...types.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1))
  // Their methods have pages.
  const shown = symbols.filter(({ name }) => !/(Api|^Clientele|Methods)$/.test(name))
  const hidden = symbols.filter((symbol) => !shown.includes(symbol))
  return {
    route: '/reference/types/',
    title: 'Types',
    text: joinParts(
      '# Types',
      'The types that the packages export. [Methods](/reference/methods/) and [functions](/reference/functions/) name them.',
      ...shown.map((symbol) =>
        joinParts(
          `## ${symbol.name}`,
          readDocs(symbol, checker).text,
          describeType(symbol, declarations),
        ),
      ),
      '## Interfaces of methods',
      'Their members are on the page [Methods](/reference/methods/).',
      ...hidden.map((symbol) => joinParts(`### ${symbol.name}`, readDocs(symbol, checker).text)),
    ),
  }
}

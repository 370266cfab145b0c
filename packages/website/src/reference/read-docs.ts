import ts from 'typescript'
import { escapeText, toBlock } from './markdown.ts'

/** The comment of a declaration, in its parts. */
export interface Docs {
  text: string
  example: string
  throws: string
  /** `@default` */
  fallback: string
  returns: string
  params: readonly { name: string; text: string }[]
}

export function readDocs(symbol: ts.Symbol, checker: ts.TypeChecker): Docs {
  const tags = symbol.getJsDocTags(checker)
  const tag = (name: string): string =>
    tags
      .filter((each) => each.name === name)
      .map(({ text }) => ts.displayPartsToString(text))
      .join('\n')
  const params = tags
    .filter(({ name }) => name === 'param')
    .map(({ text }) => {
      const [name = '', ...rest] = ts.displayPartsToString(text).split(/\s+/)
      return { name, text: rest.join(' ').replace(/^- /, '') }
    })
  return {
    text: linkGuides(escapeText(ts.displayPartsToString(symbol.getDocumentationComment(checker)))),
    example: tag('example') === '' ? '' : toBlock('ts', tag('example').trim()),
    throws: linkCodes(escapeText(tag('throws').replace(/^ClienteleError\s*/, ''))),
    fallback: escapeText(tag('default')),
    returns: escapeText(tag('returns')),
    params,
  }
}

/** `guides/passkeys.md` is a page of the site. */
function linkGuides(text: string): string {
  return text.replaceAll(/\bguides\/([a-z-]+)\.md\b/g, '[$1](/guides/$1/)')
}

/** Each code of an error has its page. */
export function linkCodes(text: string): string {
  return text.replaceAll(/`([a-z]+(?:_[a-z]+)+|overloaded)`/g, '[`$1`](/problem/$1/)')
}

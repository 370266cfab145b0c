import ts from 'typescript'

/** A regular expression in a source file. */
export interface Pattern {
  /** `core/src/base/input/basic.ts:7` */
  place: string
  /** As it is written: `/a+/u`; `RegExp` for one that is made of texts */
  text: string
  /** Undefined: it is put together while the program runs */
  parts: { source: string; flags: string } | undefined
}

/** Every regular expression that a source file has, by TypeScript's own parser. */
export function collectPatterns(path: string, code: string): Pattern[] {
  const file = ts.createSourceFile(path, code, ts.ScriptTarget.Latest, true)
  const found: Pattern[] = []
  const add = (node: ts.Node, text: string, parts: Pattern['parts']): void => {
    const { line } = file.getLineAndCharacterOfPosition(node.getStart())
    found.push({ place: `${path}:${line + 1}`, text, parts })
  }
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) {
      const end = node.text.lastIndexOf('/')
      add(node, node.text, { source: node.text.slice(1, end), flags: node.text.slice(end + 1) })
    } else if (makesPattern(node)) {
      add(node, 'RegExp', readParts(node.arguments ?? []))
    }
    ts.forEachChild(node, visit)
  }
  visit(file)
  return found
}

/** `RegExp(…)`, and the methods of strings that make a regular expression of a string. */
function makesPattern(node: ts.Node): node is ts.CallExpression | ts.NewExpression {
  if (!ts.isCallExpression(node) && !ts.isNewExpression(node)) return false
  const { expression } = node
  if (ts.isIdentifier(expression)) return expression.text === 'RegExp'
  const isMethod = ts.isPropertyAccessExpression(expression)
  const [first] = node.arguments ?? []
  return (
    isMethod &&
    ['match', 'matchAll', 'search'].includes(expression.name.text) &&
    first !== undefined &&
    ts.isStringLiteralLike(first)
  )
}

function readParts(given: readonly ts.Expression[]): Pattern['parts'] {
  const [source, flags] = given
  if (source === undefined || !ts.isStringLiteralLike(source)) return undefined
  if (flags !== undefined && !ts.isStringLiteralLike(flags)) return undefined
  return { source: source.text, flags: flags?.text ?? '' }
}

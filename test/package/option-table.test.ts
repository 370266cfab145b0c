import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { expect, test } from 'vitest'
import { root } from './source-files.ts'

const path = join(root, 'packages/core/src/clientele/clientele-options.ts')
const source = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true)

/** The members of the options, those inside other options too, with the first sentence of each and its default. */
function listOptions(members: ts.NodeArray<ts.TypeElement>, prefix = ''): string[] {
  return members.filter(ts.isPropertySignature).flatMap((member) => {
    const name = prefix + member.name.getText()
    const inner = member.type && ts.isTypeLiteralNode(member.type) ? member.type.members : undefined
    if (inner !== undefined) return listOptions(inner, `${name}.`)
    const [docs] = ts.getJSDocCommentsAndTags(member).filter(ts.isJSDoc)
    const text = toLine(docs?.comment)
    const [sentence] = text.split(/(?<=[^.])\. /)
    const fallback = docs?.tags?.find(({ tagName }) => tagName.text === 'default')?.comment
    return [`| \`${name}\` | ${sentence?.replace(/\.$/, '')} | ${toLine(fallback)} |`]
  })
}

function toLine(comment: Parameters<typeof ts.getTextOfJSDocComment>[0]): string {
  return (ts.getTextOfJSDocComment(comment) ?? '').replaceAll(/\s+/g, ' ').trim()
}

test('the README has a row for each option, in the words of the types', () => {
  const options = source.statements
    .filter(ts.isInterfaceDeclaration)
    .find(({ name }) => name.text === 'ClienteleOptions')
  const rows = listOptions(options?.members ?? ts.factory.createNodeArray())
  expect(rows.length).toBeGreaterThan(20)
  const readme = readFileSync(join(root, 'packages/core/README.md'), 'utf8')
  const [, table = ''] = /^\| option \|.*\n\|---.*\n((?:\|.*\n)+)/m.exec(readme) ?? []
  expect(table.trimEnd().split('\n')).toEqual(rows)
})

import ts from 'typescript'
import type { Page } from '../pages/page.ts'
import { linkTypes } from './describe-type.ts'
import { joinParts, toBlock, toTable } from './markdown.ts'
import type { Declarations } from './read-declarations.ts'
import { readDocs } from './read-docs.ts'
import { toKebab } from './to-kebab.ts'

const names: Record<string, string> = {
  accounts: 'Accounts',
  apiKeys: 'API keys',
  users: 'Users',
  auth: 'Signing in and tokens',
  mfa: 'Second factors',
  passkeys: 'Passkeys',
  sessions: 'Sessions',
  identities: 'Identities',
  signingKeys: 'Signing keys',
  trustedIssuers: 'Trusted issuers',
  events: 'Events',
  revocations: 'Revocations',
  webhooks: 'Webhooks',
  console: 'Console',
  scim: 'SCIM',
}

/** A page for each group of methods of `Clientele`, and one for what stands on the object itself. */
export function describeMethods(declarations: Declarations): Page[] {
  const { checker } = declarations
  const members = membersOf('Clientele', declarations)
  const groups = new Set(membersOf('ClienteleMethods', declarations).map(({ name }) => name))
  const own = members.filter(({ name }) => !groups.has(name))
  const pages = [...groups].map((group): Page => {
    const member = members.find(({ name }) => name === group)
    const type = member && checker.getTypeOfSymbol(member)
    const methods = type?.getProperties() ?? []
    const docs = type?.symbol && readDocs(type.symbol, checker)
    const interfaces = docs === undefined ? [] : [docs.text, docs.example]
    return {
      route: `/reference/methods/${toKebab(group)}/`,
      title: names[group] ?? group,
      text: joinParts(
        `# \`clientele.${group}\``,
        ...interfaces,
        ...methods.map((method) => describeMethod(method, `clientele.${group}`, declarations)),
      ),
    }
  })
  const symbol = declarations.types.get('Clientele')
  const docs = symbol && readDocs(symbol, checker)
  const list = pages.map(({ route, text }) => {
    const methods = [...text.matchAll(/^## (\w+)$/gm)].map(([, name = '']) => name)
    const [, group = ''] = /clientele\.(\w+)/.exec(text) ?? []
    const links = methods.map((name) => `[\`${name}\`](${route}#${name.toLowerCase()})`)
    return [`[\`${group}\`](${route})`, links.join(', ')]
  })
  return [
    {
      route: '/reference/methods/',
      title: 'Methods',
      text: joinParts(
        '# Methods of `Clientele`',
        docs?.text,
        toTable(['group', 'methods'], list),
        docs?.example,
        ...own.map((method) => describeMethod(method, 'clientele', declarations)),
      ),
    },
    ...pages,
  ]
}

function membersOf(name: string, { types, checker, modules }: Declarations): ts.Symbol[] {
  const symbol =
    types.get(name) ?? modules.get('@clientele/core')?.find((each) => each.name === name)
  if (symbol === undefined) throw new Error(`@clientele/core does not export ${name}.`)
  return checker.getDeclaredTypeOfSymbol(symbol).getProperties()
}

/** A method or a function: what it does, how it is called, and what it throws. */
export function describeMethod(
  method: ts.Symbol,
  owner: string,
  declarations: Declarations,
): string {
  const docs = readDocs(method, declarations.checker)
  const signature = (method.getDeclarations() ?? []).map(printSignature).join('\n')
  const types = linkTypes(signature, declarations)
  const call = owner === '' ? signature : signature.replaceAll(/^(?=\w)/gm, `${owner}.`)
  return joinParts(
    `## ${method.name}`,
    docs.text,
    toBlock('ts', call),
    docs.params.map(({ name, text }) => `- \`${name}\`: ${text}`).join('\n'),
    docs.returns && `Returns ${docs.returns}`,
    docs.throws && `**Throws** ${docs.throws}`,
    docs.example,
    types && `Types: ${types}`,
  )
}

/** A declaration without its comment and its body. */
function printSignature(declaration: ts.Declaration): string {
  const body = ts.isFunctionDeclaration(declaration) ? declaration.body : undefined
  const source = declaration.getSourceFile().text
  const end = body?.getStart() ?? declaration.getEnd()
  const text = source.slice(declaration.getStart(), end).trim()
  const lines = text.replace(/^export (async )?/, '').split('\n')
  // The first line stands without its indentation: the others lose as much.
  const indent = Math.min(...lines.slice(1).map((line) => line.search(/\S/)), 99)
  return lines.map((line, index) => (index === 0 ? line : line.slice(indent))).join('\n')
}

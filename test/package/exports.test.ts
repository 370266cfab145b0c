import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { describe, expect, test } from 'vitest'
import { readExports } from './public-modules.ts'
import { root } from './source-files.ts'

const modules = readExports()

// A name that is added or lost here is a change that users notice. To take it over: npm test -- package/exports -u
test('the public list is exactly this: values and types of every entry point', async () => {
  const lines = modules.flatMap(({ specifier, symbols }) => [
    `${specifier}`,
    ...symbols.map(({ name, isValue }) => `  ${isValue ? 'value' : 'type '} ${name}`),
  ])
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('./public-list.txt')
})

test.each(modules)('$specifier has the values at runtime that it declares', async (module) => {
  const { specifier, symbols } = module
  const declared = symbols.flatMap(({ name, isValue }) => (isValue ? [name] : []))
  const imported = (await import(specifier)) as object
  expect(Object.keys(imported).toSorted()).toEqual(declared.toSorted())
})

describe('public exports are documented', () => {
  const core = modules.find(({ specifier }) => specifier === '@clientele/core')
  const symbolOf = (name: string): ts.Symbol => {
    const found = core?.symbols.find((symbol) => symbol.name === name)?.symbol
    if (found === undefined) throw new Error(`${name} is not exported.`)
    return found
  }
  const membersOf = (symbol: ts.Symbol): ts.Symbol[] =>
    core?.checker.getDeclaredTypeOfSymbol(symbol).getProperties() ?? []
  const textOf = (symbol: ts.Symbol): string =>
    ts.displayPartsToString(symbol.getDocumentationComment(core?.checker))
  const tagsOf = (symbol: ts.Symbol, tag: string): string[] =>
    symbol
      .getJsDocTags(core?.checker)
      .filter(({ name }) => name === tag)
      .map(({ text }) => ts.displayPartsToString(text))

  const codes = new Set(
    ['HttpErrorCode', 'LocalErrorCode'].flatMap((name) => {
      const type = core?.checker.getDeclaredTypeOfSymbol(symbolOf(name))
      return type?.isUnion() ? type.types.map((each) => (each as ts.StringLiteralType).value) : [] // a union of texts
    }),
  )
  const groups = membersOf(symbolOf('ClienteleMethods')).map((group) => {
    const type = core?.checker.getTypeOfSymbol(group)
    return { group: group.name, methods: type?.getProperties() ?? [] }
  })
  const methods = groups.flatMap(({ group, methods: all }) =>
    all.map((method) => ({ name: `${group}.${method.name}`, method })),
  )

  test('there are groups, methods and codes', () => {
    expect([groups.length, methods.length > 40, codes.size > 30]).toEqual([17, true, true])
  })

  test.each(methods)('clientele.$name says what it does, and what it throws', ({ method }) => {
    expect(textOf(method).length).toBeGreaterThan(20)
    const thrown = tagsOf(method, 'throws').join(' ')
    expect(thrown).toContain('ClienteleError')
    const named = [...thrown.matchAll(/`([a-z_]+)`/g)].map(([, code = '']) => code)
    expect(named.filter((code) => !codes.has(code))).toEqual([])
    expect(named.length).toBeGreaterThan(0)
  })

  test('clientele itself is documented, too', () => {
    const undocumented = membersOf(symbolOf('Clientele')).filter((member) => {
      const isGroup = groups.some(({ group }) => group === member.name)
      return !isGroup && textOf(member).length < 20
    })
    expect(undocumented.map(({ name }) => name)).toEqual([])
  })

  const interfaces = core?.symbols.filter(({ name }) => /Api$|^Clientele$/.test(name)) ?? []
  test.each(interfaces)('$name is explained, with an example', ({ symbol }) => {
    expect(textOf(symbol).length).toBeGreaterThan(20)
    expect(tagsOf(symbol, 'example')).toHaveLength(1)
  })
})

const repository = 'https://github.com/clientele/clientele'

const packages = [
  ...['core', 'express', 'fastify', 'fetch', 'koa', 'validator', 'client', 'console', 'scim'],
]

test.each([...packages, 'cli', 'create-clientele'])('%s is ready to be published', (name) => {
  const manifest = JSON.parse(
    readFileSync(join(root, 'packages', name, 'package.json'), 'utf8'),
  ) as Record<string, unknown> // every manifest is an object
  expect(manifest).toMatchObject({
    name: packages.includes(name) ? `@clientele/${name}` : name === 'cli' ? 'clientele' : name,
    license: 'MIT',
    type: 'module',
    files: expect.arrayContaining(['dist']),
    keywords: expect.arrayContaining(['users']),
    homepage: `${repository}/tree/main/packages/${name}#readme`,
    bugs: `${repository}/issues`,
    repository: { type: 'git', url: `git+${repository}.git`, directory: `packages/${name}` },
  })
  expect(manifest.private).toBeUndefined()
})

import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'

const script = (specifier: string) => `
import { registerHooks } from 'node:module'
const urls = []
registerHooks({
  load(url, context, nextLoad) {
    urls.push(url)
    return nextLoad(url, context)
  },
})
await import('${specifier}')
console.log(JSON.stringify(urls))`

const loaded = new Map<string, Set<string>>()

/** The packages that an import brings into a process. */
function load(specifier: string): Set<string> {
  const known = loaded.get(specifier) ?? loadAnew(specifier)
  loaded.set(specifier, known)
  return known
}

function loadAnew(specifier: string): Set<string> {
  const output = execFileSync(
    process.execPath,
    ['--input-type=module', '--eval', script(specifier)],
    { cwd: import.meta.dirname, encoding: 'utf8' },
  )
  const urls = JSON.parse(output) as string[]
  return new Set(urls.flatMap((url) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? []))
}

const databaseLibraries = ['kysely', 'better-sqlite3', 'pg']

test.each([
  ['@clientele/core', []],
  ['@clientele/core/node', []],
  ['@clientele/core/node-version', []],
  ['@clientele/core/database-url', []],
  ['@clientele/core/sqlite', ['kysely']],
  ['@clientele/core/opentelemetry', []],
  ['@clientele/core/postgres', ['kysely']],
  ['@clientele/core/testing', ['kysely']],
  ['@clientele/express', []],
  ['@clientele/fastify', []],
  ['@clientele/fetch', []],
  ['@clientele/koa', []],
])('%s loads of the database libraries: %j', (specifier, expected) => {
  const packages = load(specifier)
  expect(databaseLibraries.filter((name) => packages.has(name)).sort()).toEqual(expected)
})

test('OpenTelemetry is loaded by its own entry alone', () => {
  expect(load('@clientele/core/opentelemetry')).toContain('@opentelemetry/api')
  for (const entry of ['', '/node', '/sqlite', '/postgres', '/database-url', '/testing'])
    expect([...load(`@clientele/core${entry}`)]).not.toContain('@opentelemetry/api')
})

test("the check of Node's version loads only modules that an old Node can load", () => {
  expect([...load('@clientele/core/node-version')]).toEqual([])
})

test('the validator loads jose and no other package', () => {
  expect([...load('@clientele/validator')]).toEqual(['jose'])
})

test('the client loads no package', () => {
  expect([...load('@clientele/client')]).toEqual([])
})

test('the root loads jose', () => {
  expect(load('@clientele/core')).toContain('jose')
})

test('the code that makes the document is loaded on first use', () => {
  expect(load('@clientele/core')).not.toContain('zod-openapi')
})

test.each([
  '@clientele/core',
  '@clientele/core/sqlite',
  '@clientele/core/postgres',
  '@clientele/core/node',
  '@clientele/fetch',
])("%s does not load Node's fetch, the largest part of a start", (specifier) => {
  const code = `await import('${specifier}'); console.log(process.moduleLoadList.join('\\n'))`
  const args = ['--input-type=module', '--eval', code]
  const options = { cwd: import.meta.dirname, encoding: 'utf8' } as const
  const modules = execFileSync(process.execPath, args, options).split('\n')
  expect(modules).toContain('NativeModule fs')
  expect(modules.filter((name) => name.includes('undici'))).toEqual([])
})

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readSourceFiles, root } from './source-files.ts'

const files = readSourceFiles()
const core = files.filter((file) => file.packageName === 'core')
const adapters = files.filter((file) => ['express', 'fastify', 'koa'].includes(file.packageName))

/** A file's place in the core, and how far in it stands: a file imports what stands further in, or beside it. */
const places: [RegExp, { place: string; height: number }][] = [
  [/^core\/errors\.ts$/, { place: 'errors', height: 0 }],
  [/^core\/domain\//, { place: 'domain', height: 1 }],
  [
    /^core\/((sign-in-|transfer-)?repository|logger|background|turns|fair-limit|time-slice|mail|create-id-generator)\.ts$/,
    { place: 'ports', height: 2 },
  ],
  [/^core\/events\.ts$/, { place: 'events', height: 3 }],
  [/^core\/security\//, { place: 'security', height: 3 }],
  [/^core\/actions\//, { place: 'actions', height: 4 }],
  [/^core\/http\//, { place: 'http', height: 5 }],
  [/^core\/(create-clientele|index)\.ts$/, { place: 'entry', height: 6 }],
]
/** Beside the others: it implements the port and knows what the port knows. */
const database = { place: 'database', height: 2 }

function placeOf(name: string) {
  if (/^core\/(database\/|postgres\.ts|sqlite\.ts|database-url\.ts)/.test(name)) return database
  return places.find(([pattern]) => pattern.test(name))?.[1] ?? { place: 'entry', height: 6 }
}

/** Who may import a library. */
const owners: Record<string, RegExp> = {
  kysely: /^core\/database\//,
  'better-sqlite3': /^core\/database\/sqlite-/,
  pg: /^core\/database\/postgres-/,
  jose: /^core\/security\//,
  '@node-rs/argon2': /^core\/security\//,
  '@node-rs/bcrypt': /^core\/security\//,
  'ipaddr.js': /^core\/security\//,
  otpauth: /^core\/security\//,
  'rate-limiter-flexible': /^core\/security\//,
  express: /^express\//,
  fastify: /^fastify\//,
  'fastify-plugin': /^fastify\//,
  koa: /^koa\//,
}

test('the import lines are read', () => {
  expect(core.length).toBeGreaterThan(60)
  const pairs = core.flatMap((file) => file.imports.map(({ specifier }) => specifier))
  expect(pairs).toEqual(expect.arrayContaining(['kysely', 'jose', 'zod', './errors.ts']))
})

describe('arrows point inward', () => {
  test.each(core)('$name', ({ name, imports }) => {
    const from = placeOf(name)
    const outward = imports.filter(({ file }) => {
      if (file === undefined) return false
      const to = placeOf(file)
      if (to.place === 'database' && from.place !== 'database') return true
      return to.height > from.height
    })
    expect(outward.map(({ specifier }) => specifier)).toEqual([])
  })
})

test('no files import each other in a circle', () => {
  const importsOf = new Map(
    files.map(({ name, imports }) => [name, imports.flatMap(({ file }) => file ?? [])]),
  )
  const circles: string[] = []
  const walk = (name: string, way: readonly string[]): void => {
    if (way.includes(name)) {
      circles.push([...way.slice(way.indexOf(name)), name].join(' → '))
      return
    }
    const next = importsOf.get(name) ?? []
    for (const file of next) walk(file, [...way, name])
    // What leads from here has been walked: nobody has to come by again.
    importsOf.delete(name)
  }
  for (const { name } of files) walk(name, [])
  expect(circles).toEqual([])
})

test('what files import is there', () => {
  const names = new Set(files.map((file) => file.name))
  const missing = files.flatMap((file) =>
    file.imports.filter(
      ({ file: imported }) =>
        imported !== undefined && !names.has(imported) && !existsSync(join(root, imported)),
    ),
  )
  expect(missing).toEqual([])
})

test.each(Object.entries(owners))('%s has one owner', (library, owner) => {
  const importers = files.filter((file) =>
    file.imports.some(
      ({ specifier }) => specifier.replace(/^((@[^/]+\/)?[^/]+).*/, '$1') === library,
    ),
  )
  expect(importers.map(({ name }) => name).filter((name) => !owner.test(name))).toEqual([])
})

test.each(adapters)(
  '$name: an adapter imports its framework, Node, and the root of core',
  (file) => {
    const foreign = file.imports.filter(
      ({ specifier }) =>
        !/^(node:.*|\..*|@clientele\/core)$/.test(specifier) &&
        owners[specifier]?.test(file.name) !== true,
    )
    expect(foreign.map(({ specifier }) => specifier)).toEqual([])
  },
)

test('an adapter has at most 80 lines', () => {
  for (const name of ['express', 'fastify', 'koa']) {
    const lines = adapters
      .filter((file) => file.packageName === name)
      .reduce((sum, file) => sum + file.codeLines, 0)
    expect([name, lines > 0 && lines <= 80]).toEqual([name, true])
  }
})

test.each(files)('$name has at most 300 lines', ({ codeLines }) => {
  expect(codeLines).toBeLessThanOrEqual(300)
})

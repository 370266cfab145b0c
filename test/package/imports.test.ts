import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readSourceFiles, root } from './source-files.ts'

const files = readSourceFiles()
const core = files.filter((file) => file.packageName === 'core')
const adapters = files.filter((file) =>
  ['express', 'fastify', 'fetch', 'koa'].includes(file.packageName),
)

/** By a file's path in the core, what it is. */
const isSql = (name: string) => /^core\/(sql\/|(.+\/)?sql\/|.+\/sql\.ts$)/.test(name)
const isDoor = (name: string) => /^core\/(sqlite|postgres|kysely|database-url)\.ts$/.test(name)
const isHttp = (name: string) => /^core\/(http\/|.+\/routes\.ts$)/.test(name)
/** Machinery that knows no capability */
const isMachinery = (name: string) => /^core\/(input|runtime|crypto|outbound)\//.test(name)
const isShared = (name: string) => isMachinery(name) || name === 'core/errors.ts'
/** What puts the parts together */
const isAssembly = (name: string) => /^core\/[^/]+\.ts$/.test(name)

/** Who may import a library. */
const owners: Record<string, RegExp> = {
  kysely: /^core\/(sql\/|.+\/sql\/|.+\/sql\.ts$)/,
  'better-sqlite3': /^core\/sql\/sqlite\//,
  pg: /^core\/sql\/postgres\//,
  jose: /^(core\/(tokens|signing-keys|trusted-issuers)|validator)\//,
  '@node-rs/argon2': /^core\/passwords\//,
  '@node-rs/bcrypt': /^core\/passwords\//,
  'ipaddr.js': /^core\/(outbound|rate-limits)\//,
  '@opentelemetry/api': /^core\/observe\/opentelemetry\//,
  '@simplewebauthn/server': /^core\/passkeys\//,
  otpauth: /^core\/mfa\//,
  uqr: /^core\/mfa\//,
  'zod-openapi': /^core\/http\/openapi\//,
  'rate-limiter-flexible': /^core\/rate-limits\//,
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
    const wrong = imports.filter(({ file }) => {
      if (file === undefined) return false
      // A verb sees stores, never SQL; only a door leads to it.
      if (isSql(file) && !isSql(name) && !isDoor(name)) return true
      // Only routes know HTTP.
      if (isHttp(file) && !isHttp(name) && !isAssembly(name)) return true
      if (isMachinery(name) && !isShared(file)) return true
      return name === 'core/errors.ts'
    })
    expect(wrong.map(({ specifier }) => specifier)).toEqual([])
  })
})

/** The ways that lead back to where they began, each once. */
function findCircles(edges: ReadonlyMap<string, Iterable<string>>): string[] {
  const left = new Map(edges)
  const circles: string[] = []
  const walk = (name: string, way: readonly string[]): void => {
    if (way.includes(name)) {
      circles.push([...way.slice(way.indexOf(name)), name].join(' → '))
      return
    }
    for (const next of left.get(name) ?? []) walk(next, [...way, name])
    // What leads from here has been walked: nobody has to come by again.
    left.delete(name)
  }
  for (const name of edges.keys()) walk(name, [])
  return circles
}

test('no files import each other in a circle', () => {
  const edges = files.map(
    ({ name, imports }) => [name, imports.flatMap(({ file }) => file ?? [])] as const,
  )
  expect(findCircles(new Map(edges))).toEqual([])
})

describe('capabilities', () => {
  /** `api-keys` of `core/api-keys/sql/api-key-look-up.ts`; undefined for what is in no capability */
  const machinery = new Set([
    'http',
    'input',
    'outbound',
    'crypto',
    'runtime',
    'sql',
    'testing',
    'within',
    'observe',
  ])
  const capabilityOf = (name: string): string | undefined => {
    const folder = /^core\/([^/]+)\//.exec(name)?.[1]
    return folder === undefined || machinery.has(folder) ? undefined : folder
  }
  const folders = [...new Set(core.flatMap(({ name }) => capabilityOf(name) ?? []))].toSorted()
  /** What nobody calls by itself: others' actions use it */
  const withoutApi = ['idempotency', 'passwords', 'rate-limits']
  const list = core.find(({ name }) => name === 'core/capabilities.ts')
  const listed = (file: string) =>
    (list?.imports ?? []).flatMap((each) => {
      const folder = each.file === undefined ? undefined : capabilityOf(each.file)
      return each.file === `core/${folder}/${file}` ? [folder] : []
    })

  test('every folder is in the list, with what it has of methods and routes', () => {
    const having = (file: string) =>
      folders.filter((folder) => core.some(({ name }) => name === `core/${folder}/${file}`))
    expect(listed('api.ts').toSorted()).toEqual(having('api.ts'))
    expect(listed('routes.ts').toSorted()).toEqual(having('routes.ts'))
    expect([...having('api.ts'), ...withoutApi].toSorted()).toEqual(folders)
  })

  test('every store is in the port, and its SQL in what makes the port', () => {
    const importedBy = (importer: string, file: RegExp) => {
      const imports = core.find(({ name }) => name === importer)?.imports ?? []
      return imports.flatMap((each) =>
        each.file !== undefined && file.test(each.file) ? (capabilityOf(each.file) ?? []) : [],
      )
    }
    const stores = folders.filter((folder) =>
      core.some(({ name }) => name === `core/${folder}/store.ts`),
    )
    expect(stores).not.toEqual([])
    expect(importedBy('core/repository.ts', /\/store\.ts$/).toSorted()).toEqual(stores)
    const sqlFile = /^core\/[^/]+\/sql(\.ts|\/[^/]+-store\.ts)$/
    expect(importedBy('core/sql/repository.ts', sqlFile).toSorted()).toEqual(stores)
  })

  test('api.ts is imported by what puts the parts together, routes.ts by that and by routes', () => {
    const importersOf = (file: string) =>
      core.filter(({ imports }) => imports.some((each) => each.file?.endsWith(`/${file}`)))
    const whole = ['core/capabilities.ts', 'core/clientele.ts', 'core/index.ts']
    expect(importersOf('api.ts').map(({ name }) => name)).toEqual(expect.arrayContaining(whole))
    expect(importersOf('api.ts').filter(({ name }) => !whole.includes(name))).toEqual([])
    const others = importersOf('routes.ts').filter(
      ({ name }) => !name.endsWith('/routes.ts') && name !== 'core/capabilities.ts',
    )
    expect(others.map(({ name }) => name)).toEqual(['core/create-clientele.ts'])
  })

  /** Ways back that would close a circle between folders, though not between files, each with its reason. */
  const waysBack: Record<string, string> = {
    'accounts → api-keys': 'the first account is stored together with its first key',
    'accounts → users': 'the roles that an account allows have the form of roles of its users',
    'events → users': 'events of a user tell the user, by its fields',
    'trusted-issuers → tokens': "others' tokens are taken apart by the same rules as ours",
  }

  test('import each other in one direction, but for what is said here', () => {
    const edgesWithout = (left: readonly string[]) =>
      new Map(
        folders.map((folder) => {
          const next = core
            .filter(({ name }) => capabilityOf(name) === folder)
            .flatMap(({ imports }) => imports.flatMap(({ file }) => capabilityOf(file ?? '') ?? []))
            .filter((to) => to !== folder)
            .filter((to) => !left.includes(`${folder} → ${to}`))
          return [folder, new Set(next)]
        }),
      )
    const named = Object.keys(waysBack)
    expect(findCircles(edgesWithout(named))).toEqual([])
    const idle = named.filter((way) => {
      const others = named.filter((each) => each !== way)
      return findCircles(edgesWithout(others)).length === 0
    })
    expect(idle).toEqual([])
  })
})

test('the kit for tests is imported by its own entry only', () => {
  const isKit = (name: string) => /^core\/testing(\/|\.ts$)/.test(name)
  const importers = files.filter(({ imports }) => imports.some(({ file }) => isKit(file ?? '')))
  expect(importers.length).toBeGreaterThan(0)
  expect(importers.map(({ name }) => name).filter((name) => !isKit(name))).toEqual([])
})

test('what files import is there', () => {
  /** What is not read here: a manifest, or what the console's page is drawn with */
  const isThere = (name: string) =>
    [name, name.replace('/', '/src/').replace(/^/, 'packages/')].some((path) =>
      existsSync(join(root, path)),
    )
  const names = new Set(files.map((file) => file.name))
  const missing = files.flatMap((file) =>
    file.imports.filter(
      ({ file: imported }) => imported !== undefined && !names.has(imported) && !isThere(imported),
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
  '$name: an adapter imports its framework, Node, and of core the root and what speaks node:http',
  (file) => {
    const foreign = file.imports.filter(
      ({ specifier }) =>
        !/^(node:.*|\..*|@clientele\/core(\/node)?)$/.test(specifier) &&
        owners[specifier]?.test(file.name) !== true,
    )
    expect(foreign.map(({ specifier }) => specifier)).toEqual([])
  },
)

test('the adapter for fetch imports the root of core alone: nothing that only Node has', () => {
  const imports = adapters
    .filter((file) => file.packageName === 'fetch')
    .flatMap((file) => file.imports.map(({ specifier }) => specifier))
  expect([...new Set(imports)]).toEqual(['@clientele/core'])
})

test('no file reaches into the folders of a library', () => {
  const inside = files.flatMap(({ name, imports }) =>
    imports.flatMap(({ specifier }) =>
      /^(@[^/]+\/)?[^@./][^/]*\/(lib|dist|src|build)\//.test(specifier)
        ? [`${name}: ${specifier}`]
        : [],
    ),
  )
  expect(inside).toEqual([])
})

test('the client imports nothing: it runs wherever fetch does', () => {
  const client = files.filter(({ packageName }) => packageName === 'client')
  expect(client.length).toBeGreaterThan(8)
  const foreign = client.flatMap(({ name, imports }) =>
    // Examples in comments import the client itself.
    imports
      .filter(({ specifier }) => !/^(\.|@clientele\/client$)/.test(specifier))
      .map(({ specifier }) => `${name}: ${specifier}`),
  )
  expect(foreign).toEqual([])
})

test('an adapter has at most 80 lines', () => {
  for (const name of ['express', 'fastify', 'fetch', 'koa']) {
    const lines = adapters
      .filter((file) => file.packageName === name)
      .reduce((sum, file) => sum + file.codeLines, 0)
    expect([name, lines > 0 && lines <= 80]).toEqual([name, true])
  }
})

/** The console's words stand in one file, so that others can translate them. */
const written = files.filter(
  ({ name }) => !name.startsWith('client/generated/') && name !== 'console/page/english.ts',
)

test.each(written)('$name has at most 300 lines', ({ codeLines }) => {
  expect(codeLines).toBeLessThanOrEqual(300)
})

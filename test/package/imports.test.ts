import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { findCircles, findFolderCircles } from './find-circles.ts'
import { readSourceFiles, root, type SourceFile } from './source-files.ts'

const files = readSourceFiles()
const core = files.filter((file) => file.packageName === 'core')
const adapters = files.filter((file) =>
  ['express', 'fastify', 'fetch', 'koa'].includes(file.packageName),
)

const isSql = (name: string) => /^core\/(sql\/|.+\/sql\/|.+\/sql\.ts$)/.test(name)
const isHttp = (name: string) => /^core\/(http|mount|openapi)\//.test(name)

/** Who may import a library. */
const owners: Record<string, RegExp> = {
  kysely: /^core\/(sql\/|repository\/|.+\/sql\/|.+\/sql\.ts$)/,
  'better-sqlite3': /^core\/(sql|repository)\/sqlite\b/,
  pg: /^core\/sql\/postgres\//,
  jose: /^(core\/(base\/jwt|capabilities\/(tokens|signing-keys|trusted-issuers))|validator)\//,
  '@node-rs/argon2': /^core\/capabilities\/passwords\//,
  '@node-rs/bcrypt': /^core\/capabilities\/passwords\//,
  'ipaddr.js': /^core\/(base\/outbound|capabilities\/rate-limits)\//,
  '@opentelemetry/api': /^core\/base\/observe\/opentelemetry\//,
  '@simplewebauthn/server': /^core\/capabilities\/passkeys\//,
  otpauth: /^core\/capabilities\/mfa\//,
  uqr: /^core\/capabilities\/mfa\//,
  'zod-openapi': /^core\/openapi\//,
  '@modelcontextprotocol/server': /^cli\/mcp\//,
  'rate-limiter-flexible': /^core\/capabilities\/rate-limits\//,
  express: /^express\//,
  fastify: /^fastify\//,
  'fastify-plugin': /^fastify\//,
  koa: /^koa\//,
}

test('the import lines are read', () => {
  expect(core.length).toBeGreaterThan(60)
  const pairs = core.flatMap((file) => file.imports.map(({ specifier }) => specifier))
  expect(pairs).toEqual(expect.arrayContaining(['kysely', 'jose', 'zod', './store.ts']))
})

/** The imports of matching files, as `from → to`, where the imported file is forbidden. */
function listImports(
  from: (name: string) => boolean,
  isWrong: (file: string, name: string) => boolean,
): string[] {
  return core
    .filter(({ name }) => from(name))
    .flatMap(({ name, imports }) =>
      imports.flatMap(({ file }) =>
        file !== undefined && isWrong(file, name) ? [`${name} → ${file}`] : [],
      ),
    )
}

describe('shelves', () => {
  /** A file directly in `src`: what programs import of the package */
  const isDoor = (name: string) => /^core\/[^/]+\.ts$/.test(name)
  /** From the bottom: each folder imports what stands before it. */
  const shelves = [
    'base',
    'user-model',
    'sql',
    'http',
    'capabilities',
    'openapi',
    'mount',
    'console',
    'scim',
    'repository',
    'clientele',
    'testing',
  ]
  /** From the bottom, too. Rooms of one line do not know each other. */
  const rooms = [
    ['passwords', 'idempotency', 'rate-limits', 'hooks'],
    ['events'],
    ['accounts'],
    ['users', 'signing-keys'],
    ['invitations', 'scim'],
    ['identities', 'api-keys', 'trusted-issuers', 'import-export', 'webhooks', 'user-tokens'],
    ['tokens', 'account-lifecycle'],
    ['sessions', 'revocations'],
    ['devices', 'impersonation'],
    ['passkeys'],
    ['mfa'],
    ['email-tokens'],
    ['sign-in', 'expired-passwords'],
    ['sign-in-codes', 'email-changes'],
    ['personal-data'],
  ]
  const partsOf = (name: string) => name.split('/').slice(1)
  const shelfOf = (name: string) =>
    isDoor(name) ? shelves.length : shelves.indexOf(partsOf(name)[0] ?? '')
  const roomOf = (name: string) =>
    name.startsWith('core/capabilities/') ? partsOf(name)[1] : undefined
  const floorOf = (room: string) => rooms.findIndex((floor) => floor.includes(room))

  test('every file stands on one, and every capability has its place', () => {
    expect(core.filter(({ name }) => shelfOf(name) === -1).map(({ name }) => name)).toEqual([])
    const found = new Set(core.flatMap(({ name }) => roomOf(name) ?? []))
    expect([...found].toSorted()).toEqual(rooms.flat().toSorted())
  })

  test('import only what is below them, types included; no folder imports the doors', () => {
    expect(
      listImports(
        () => true,
        (file, name) => shelfOf(file) > shelfOf(name) || isDoor(file),
      ),
    ).toEqual([])
  })

  test('capabilities import those below them, types included', () => {
    expect(
      listImports(
        (name) => roomOf(name) !== undefined,
        (file, name) => {
          const [from, to] = [roomOf(name) ?? '', roomOf(file)]
          return to !== undefined && to !== from && floorOf(to) >= floorOf(from)
        },
      ),
    ).toEqual([])
  })

  const trees: Record<string, readonly SourceFile[]> = {
    'packages/core/src': core,
    'packages/cli/src': files.filter(({ packageName }) => packageName === 'cli'),
    'packages/console/src': readSourceFiles('packages/console/src/**/*.{ts,tsx}'),
    'test/support': readSourceFiles('test/support/**/*.ts'),
  }
  test.each(Object.entries(trees))(
    '%s: no folders import each other in a circle, at any depth, types included',
    (_path, tree) => {
      expect(tree.length).toBeGreaterThan(20)
      expect(findFolderCircles(tree)).toEqual([])
    },
  )
})

describe('layers', () => {
  test('routes.ts alone knows HTTP in a capability; repository/ and sql/ do not', () => {
    expect(
      listImports(
        (name) => /^core\/(capabilities|repository)\//.test(name) && !name.endsWith('/routes.ts'),
        (file) => isHttp(file) || file.endsWith('/routes.ts'),
      ),
    ).toEqual([])
  })

  test('an action sees stores, never SQL', () => {
    expect(
      listImports(
        (name) =>
          /^core\/(capabilities|http|openapi|mount|console|scim)\//.test(name) && !isSql(name),
        isSql,
      ),
    ).toEqual([])
  })

  test('importing the root loads no driver and no SQL builder', () => {
    const byName = new Map(core.map((file) => [file.name, file]))
    const loaded = new Set<string>()
    const load = (name: string): void => {
      if (loaded.has(name)) return
      loaded.add(name)
      for (const each of byName.get(name)?.imports ?? [])
        if (!each.isTypeOnly && !each.isDynamic) load(each.file ?? each.specifier)
    }
    load('core/index.ts')
    expect(loaded.size).toBeGreaterThan(100)
    const libraries = ['kysely', 'pg', 'better-sqlite3']
    expect([...loaded].filter((name) => isSql(name) || libraries.includes(name))).toEqual([])
  })
})

test('no files import each other in a circle', () => {
  const edges = files.map(
    ({ name, imports }) => [name, imports.flatMap(({ file }) => file ?? [])] as const,
  )
  expect(findCircles(new Map(edges))).toEqual([])
})

describe('capabilities', () => {
  const capabilityOf = (name: string) =>
    /^core\/(?:capabilities\/([^/]+)|(console))\//.exec(name)?.slice(1).find(Boolean)
  const folders = [...new Set(core.flatMap(({ name }) => capabilityOf(name) ?? []))].toSorted()
  const having = (file: RegExp) =>
    folders.filter((folder) =>
      core.some(
        ({ name }) =>
          capabilityOf(name) === folder &&
          file.test(name.slice(name.indexOf(`${folder}/`) + folder.length + 1)),
      ),
    )
  const importedBy = (importer: string, file: RegExp) => {
    const imports = core.find(({ name }) => name === importer)?.imports ?? []
    return imports
      .flatMap((each) =>
        each.file !== undefined && file.test(each.file) ? (capabilityOf(each.file) ?? []) : [],
      )
      .toSorted()
  }

  test('those with methods, and with routes, are in the list', () => {
    const list = 'core/clientele/capabilities.ts'
    expect(having(/^api\.ts$/).length).toBeGreaterThan(15)
    expect(importedBy(list, /\/api\.ts$/)).toEqual(having(/^api\.ts$/))
    expect(importedBy(list, /\/routes\.ts$/)).toEqual(having(/^routes\.ts$/))
  })

  /** Rooms that the whole needs for more than its lists: how a caller is known, what is signed, what is configured. */
  const pillars =
    'accounts api-keys events signing-keys tokens trusted-issuers users webhooks'.split(' ')
  test.each(folders.filter((folder) => folder !== 'console' && !pillars.includes(folder)))(
    '%s is named by seven files outside of the capabilities at most',
    (folder) => {
      const importers = core.filter(
        ({ name, imports }) =>
          !name.startsWith('core/capabilities/') &&
          // A shelf with the room's name is its protocol.
          !name.startsWith(`core/${folder}/`) &&
          imports.some(({ file }) => file?.startsWith(`core/capabilities/${folder}/`)),
      )
      expect(importers.map(({ name }) => name).slice(7)).toEqual([])
    },
  )

  test('every store is in the list of stores, and so is its SQL', () => {
    const stores = having(/^store\.ts$/)
    expect(stores).not.toEqual([])
    const list = 'core/repository/stores.ts'
    expect(importedBy(list, /\/store\.ts$/)).toEqual(stores)
    const sqlFile = /\/sql(\.ts|\/[^/]+-store\.ts)$/
    expect(importedBy(list, sqlFile)).toEqual(stores)
  })
})

test('the kit for tests is imported by its own entry only', () => {
  const isKit = (name: string) => /^core\/testing(\/|\.ts$)/.test(name)
  const importers = files.filter(({ imports }) => imports.some(({ file }) => isKit(file ?? '')))
  expect(importers.length).toBeGreaterThan(0)
  expect(importers.map(({ name }) => name).filter((name) => !isKit(name))).toEqual([])
})

test('imported files exist', () => {
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

const written = files.filter(({ name }) => !name.startsWith('client/generated/'))

test.each(written)('$name has at most 300 lines', ({ codeLines }) => {
  expect(codeLines).toBeLessThanOrEqual(300)
})

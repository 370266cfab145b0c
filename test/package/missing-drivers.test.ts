import { afterAll, expect, test } from 'vitest'
import { installCore } from '../support/install-core.ts'

// Core, in the folder of a host who installed no driver.
const core = installCore()
afterAll(() => core.remove())

test.each([
  ['better-sqlite3', `(await import('@clientele/core/sqlite')).sqlite({ filename: 'a.sqlite' })`],
  [
    'pg',
    `(await import('@clientele/core/postgres')).postgres({ connectionString: 'postgres://a@b/c' })`,
  ],
  ['better-sqlite3', `await (await import('@clientele/core/testing')).createTestClientele()`],
  [
    'better-sqlite3',
    `await (await import('@clientele/core/database-url')).openRepository('sqlite:a.sqlite')`,
  ],
  ['pg', `await (await import('@clientele/core/database-url')).openRepository('postgres://a@b/c')`],
])('without %s, %s says what to install', (name, call) => {
  expect(core.run(call)).toBe(
    `configuration_invalid The package ${name} is not installed: npm install ${name}\n`,
  )
})

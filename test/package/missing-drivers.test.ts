import { execFileSync } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { root } from './source-files.ts'

let folder: string

/** Installs core as a host would who installed no driver. */
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'clientele-no-driver-'))
  const core = join(root, 'packages/core')
  const installed = join(folder, 'node_modules/@clientele/core')
  for (const part of ['package.json', 'dist']) {
    cpSync(join(core, part), join(installed, part), { recursive: true })
  }
  const { dependencies } = JSON.parse(readFileSync(join(core, 'package.json'), 'utf8'))
  for (const name of Object.keys(dependencies)) {
    const link = join(folder, 'node_modules', name)
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(realpathSync(join(core, 'node_modules', name)), link)
  }
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function run(call: string): string {
  const script = `try { ${call} } catch (error) { console.log(error.code, error.message) }`
  return execFileSync(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: folder,
    encoding: 'utf8',
  })
}

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
  expect(run(call)).toBe(
    `configuration_invalid The package ${name} is not installed: npm install ${name}\n`,
  )
})

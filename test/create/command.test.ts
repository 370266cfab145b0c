import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { command, newAppsFolder } from './support.ts'

const folder = newAppsFolder()
afterAll(() => rmSync(folder, { recursive: true }))

function create(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [command, ...args], {
    cwd: folder,
    encoding: 'utf8',
  })
  return { status, stdout, stderr }
}

test.each([
  [['app', '--framwork', 'koa'], '--framwork is not an option. Did you mean --framework?'],
  [
    ['app', '--framework', 'kao'],
    '--framework cannot be kao: express, fastify, koa, hono. Did you mean koa?',
  ],
  [['app', '--database'], '--database needs a value: sqlite, postgresql.'],
  [['one', 'two', '--yes'], 'Name only one folder: two is a second one.'],
  [
    ['app', '--framework', 'koa'],
    'Not given: --database, --language, --pages. Add --yes to take the defaults.',
  ],
  [
    [],
    'Not given: a folder, --framework, --database, --language, --pages. Add --yes to take the defaults.',
  ],
  [['(!)', '--yes'], '(!) has no letter or digit: the name of the package is made from it.'],
])('%j is refused, by name, and creates nothing', (args, message) => {
  const before = readdirSync(folder)
  expect(create(...args)).toEqual({ status: 2, stdout: '', stderr: `${message}\n` })
  expect(readdirSync(folder)).toEqual(before)
})

test('a folder whose name a shell would divide is printed in quotes', () => {
  const name = "it's My App!"
  const quoted = process.platform === 'win32' ? `"${name}"` : "'it'\\''s My App!'"
  expect(create(name, '--yes').stdout).toContain(`  cd ${quoted}\n`)
})

test('a folder with files, and a file, stay as they are', () => {
  mkdirSync(join(folder, 'full'))
  writeFileSync(join(folder, 'full/kept.txt'), 'kept')
  expect(create('full', '--yes')).toMatchObject({
    status: 2,
    stderr: 'full is not empty: name a new folder.\n',
  })
  expect(create('full/kept.txt', '--yes')).toMatchObject({ status: 2 })
  expect(readdirSync(join(folder, 'full'))).toEqual(['kept.txt'])
})

test('with --yes what is not given is the default, and the package has the name of the folder', () => {
  const { status, stdout } = create('My App', '--yes', '--database', 'postgresql')
  expect(status).toBe(0)
  expect(stdout).toContain('set DATABASE_URL in My App/.env')
  const app = join(folder, 'My App')
  expect(JSON.parse(readFileSync(join(app, 'package.json'), 'utf8'))).toMatchObject({
    name: 'my-app',
    dependencies: {
      '@clientele/core': expect.stringMatching(/^\^\d/),
      express: expect.any(String),
      pg: expect.any(String),
    },
  })
  expect(readFileSync(join(app, '.gitignore'), 'utf8')).toMatch(/^\.env$/m)
  expect(readFileSync(join(app, '.env'), 'utf8')).toMatch(/^CLIENTELE_SECRET=[\w-]{43}$/m)
  if (process.platform !== 'win32') expect(statSync(join(app, '.env')).mode & 0o777).toBe(0o600)
})

test('--help names every option, and --version the version', () => {
  const { stdout } = create('--help')
  for (const name of ['framework', 'database', 'language', 'pages', 'yes'])
    expect(stdout).toContain(`--${name}`)
  expect(create('--version').stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
})

test('a version of Node that does not run the app is named, and what to do', () => {
  const { status, stdout } = spawnSync(
    process.execPath,
    ['--no-experimental-strip-types', command, 'typed', '--yes'],
    { cwd: folder, encoding: 'utf8' },
  )
  expect(status).toBe(0)
  expect(stdout).toContain(`install Node 22.18 or newer: this is ${process.version}`)
  expect(create('other', '--yes').stdout).not.toContain('install Node')
})

import { chmod, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClientele } from '@clientele/core'
import { sqlite } from '@clientele/core/sqlite'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { root } from './source-files.ts'

let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'clientele-wrong-file-'))
})
afterAll(async () => {
  await chmod(folder, 0o700)
  await rm(folder, { recursive: true })
})

async function modeOf(path: string): Promise<number> {
  return (await stat(path)).mode & 0o777
}

async function openWrong(filename: string): Promise<unknown> {
  try {
    const clientele = await createClientele({ repository: sqlite({ filename }) })
    await clientele.close()
    return undefined
  } catch (error) {
    return error
  }
}

test('a folder that is named by mistake is reported and not changed', async () => {
  await chmod(folder, 0o755)
  expect(await openWrong(folder)).toMatchObject({
    code: 'configuration_invalid',
    message: `${folder} is a folder: name a file in it, as ${join(folder, 'users.sqlite')}.`,
  })
  expect(await modeOf(folder)).toBe(0o755)
  expect(await readdir(folder)).toEqual([])
})

test('a file that is not a database is reported and not changed', async () => {
  const file = join(folder, 'hosts')
  await writeFile(file, 'a file that others have to read\n')
  await chmod(file, 0o644)
  const message = `The SQLite file ${file} is not a sound database.`
  expect(await openWrong(file)).toMatchObject({ code: 'configuration_invalid', message })
  expect(await modeOf(file)).toBe(0o644)
})

test('a driver that was built for another Node is named, with what to do', async () => {
  const load = createRequire(join(root, 'packages/core/src/sql/load-driver.ts'))
  const driver: unknown = load('better-sqlite3')
  const found = load.cache[load.resolve('better-sqlite3')]
  if (found === undefined) throw new Error('The driver is not where Node looks for it.')
  found.exports = class {
    constructor() {
      throw Object.assign(new Error('NODE_MODULE_VERSION 115'), { code: 'ERR_DLOPEN_FAILED' })
    }
  }
  try {
    expect(await openWrong(':memory:')).toMatchObject({
      code: 'configuration_invalid',
      message: expect.stringMatching(
        /^better-sqlite3 was built for .*: npm rebuild better-sqlite3$/,
      ),
    })
  } finally {
    found.exports = driver
  }
})

test('a file that stands where a folder should be is named', async () => {
  const file = join(folder, 'no-folder')
  await writeFile(file, '')
  for (const filename of [join(file, 'users.sqlite'), join(file, 'a/b/users.sqlite')]) {
    expect(await openWrong(filename)).toMatchObject({
      code: 'configuration_invalid',
      message: `The SQLite file ${filename} cannot be opened: ${file} is not a folder.`,
    })
  }
})

// Only Linux has folders in which no folder can be created: mkdir with `recursive` never ends there.
test
  .skipIf(process.platform !== 'linux')
  .each(['/proc/clientele/users.sqlite', '/proc/clientele/a/users.sqlite'])(
  '%s is refused at once (skipped where there is no /proc)',
  async (filename) => {
    const message = `The SQLite file ${filename} cannot be opened: its folder is not there and cannot be made.`
    expect(await openWrong(filename)).toMatchObject({ code: 'configuration_invalid', message })
  },
)

test('missing folders are created', async () => {
  expect(await openWrong(join(folder, 'a/b/c/users.sqlite'))).toBeUndefined()
  expect(await openWrong(join(folder, 'a/b/c/users.sqlite'))).toBeUndefined()
})

test('a world-readable database is restricted to its owner', async () => {
  const file = join(folder, 'users.sqlite')
  expect(await openWrong(file)).toBeUndefined()
  await chmod(file, 0o644)
  expect(await openWrong(file)).toBeUndefined()
  expect(await modeOf(file)).toBe(0o600)
})

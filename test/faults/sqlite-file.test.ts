import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClientele } from '@clientele/core'
import { sqlite } from '@clientele/core/sqlite'
import Sqlite from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { codeOf } from '../keys/open-clientele.ts'
import { ask } from '../support/ask.ts'
import { cliScript, startProcess } from '../support/start-process.ts'

const logger = { info: () => {}, warn: () => {}, error: () => {} }

async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'clientele-file-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

async function modesIn(folder: string): Promise<Record<string, string>> {
  const names = (await readdir(folder)).toSorted()
  const modes = names.map(async (name) => {
    const { mode } = await stat(join(folder, name))
    return [name, (mode & 0o777).toString(8)]
  })
  return Object.fromEntries(await Promise.all(modes))
}

async function openHouse(filename: string) {
  const clientele = await createClientele({ repository: sqlite({ filename }), logger })
  onTestFinished(() => clientele.close())
  const account = await clientele.accounts.create({ name: 'Acme' })
  const { apiKey: key } = await clientele.apiKeys.create(account.id)
  let count = 0
  const person = () => ({ name: 'Ada', email: `${count++}@example.com`, password: 'password' })
  const { user } = await clientele.users.create(account.id, person())
  return {
    clientele,
    /** A read alone: a use of a key is written down. */
    find: () => codeOf(clientele.users.find(account.id, user.id)),
    read: async () => (await ask(clientele, key, 'GET', `/client/user/${user.id}`)).status,
    write: async () => (await ask(clientele, key, 'POST', '/client/user', person())).status,
  }
}

test('only the owner can read the file, its log and its index', async () => {
  const folder = await makeFolder()
  const { write } = await openHouse(join(folder, 'users.sqlite'))
  expect(await write()).toBe(201)
  expect(await modesIn(folder)).toEqual({
    'users.sqlite': '600',
    'users.sqlite-shm': '600',
    'users.sqlite-wal': '600',
    'users.sqlite.secret': '600',
  })
})

test('a world-readable file is restricted to its owner; a group-readable one stays', async () => {
  const folder = await makeFolder()
  for (const mode of ['644', '664', '640', '660']) {
    const filename = join(folder, mode)
    await sqlite({ filename }).storage.close()
    await chmod(filename, Number.parseInt(mode, 8))
    await sqlite({ filename }).storage.close()
  }
  expect(await modesIn(folder)).toEqual({ 640: '640', 644: '600', 660: '660', 664: '600' })
})

test('a file that is not a database keeps its permissions', async () => {
  const folder = await makeFolder()
  await mkdir(join(folder, 'folder'))
  await writeFile(join(folder, 'text'), 'root:x:0:0:root:/root:/bin/bash\n')
  await chmod(join(folder, 'folder'), 0o755)
  await chmod(join(folder, 'text'), 0o644)
  for (const name of ['folder', 'text']) {
    expect(() => sqlite({ filename: join(folder, name) })).toThrow(
      expect.objectContaining({ code: 'configuration_invalid' }),
    )
  }
  expect(await modesIn(folder)).toEqual({ folder: '755', text: '644' })
})

test('a moved file: writes are refused at once, reads soon; moved back, both work again', async () => {
  const folder = await makeFolder()
  const filename = join(folder, 'users.sqlite')
  const { clientele, read, write } = await openHouse(filename)
  expect([await read(), await write()]).toEqual([200, 201])
  await rename(filename, join(folder, 'elsewhere'))
  expect(await write()).toBe(503)
  await expect(clientele.ping()).rejects.toMatchObject({
    code: 'storage_unavailable',
    cause: { message: expect.stringContaining('removed or replaced') },
  })
  expect(await read()).toBe(503)
  expect(await readdir(folder)).not.toContain('users.sqlite')
  await rename(join(folder, 'elsewhere'), filename)
  await expect(clientele.ping()).resolves.toBeUndefined()
  expect([await read(), await write()]).toEqual([200, 201])
})

test('reads alone notice a moved file, too', async () => {
  const folder = await makeFolder()
  const { find } = await openHouse(join(folder, 'users.sqlite'))
  expect(await find()).toBe(undefined)
  await rm(folder, { recursive: true })
  // Before the sweeper writes, ten seconds after the start
  await expect.poll(find, { timeout: 6_000 }).toBe('storage_unavailable')
})

test('a file that replaces the opened one is not mistaken for it', async () => {
  const folder = await makeFolder()
  const filename = join(folder, 'users.sqlite')
  const { clientele, write } = await openHouse(filename)
  await rename(filename, join(folder, 'elsewhere'))
  await writeFile(filename, '')
  expect(await write()).toBe(503)
  await expect(clientele.ping()).rejects.toMatchObject({ code: 'storage_unavailable' })
})

test('a server whose files are removed is not ready, answers 503, and makes no other file', async () => {
  const folder = await makeFolder()
  const running = startProcess(cliScript, [], { PORT: '0', LOG_LEVEL: 'error' }, folder)
  onTestFinished(async () => {
    running.child.kill('SIGKILL')
    await running.ended
  })
  const [, base = ''] = await running.waitFor(/^Listening on (\S+)$/m)
  const [, key] = await running.waitFor(/^API key: (\S+)$/m)
  const ready = async () => (await fetch(new URL('/health/ready', base))).status
  const create = async () => {
    const response = await fetch(`${base}/client/user`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'Ada', email: 'ada@example.com', password: 'password' }),
    })
    return response.status
  }
  expect([await ready(), await create()]).toEqual([200, 201])
  const data = join(folder, 'data')
  for (const name of await readdir(data)) await rm(join(data, name))
  expect([await ready(), await create()]).toEqual([503, 503])
  // Lines of the log are written in batches.
  await expect.poll(() => running.errors(), { timeout: 10_000 }).toContain('removed or replaced')
  running.child.kill('SIGTERM')
  expect(await running.ended).toBe(0)
  expect(await readdir(data)).toEqual([])
})

test.each(['the file', 'a link'])(
  'a removed log, opened by %s: writes are refused at once, and what it held is in the file after the end',
  async (by) => {
    const filename = join(await makeFolder(), 'users.sqlite')
    const link = join(await makeFolder(), 'current.sqlite')
    await writeFile(filename, '')
    await symlink(filename, link)
    const { clientele, write } = await openHouse(by === 'a link' ? link : filename)
    expect(await write()).toBe(201)
    await rm(`${filename}-wal`)
    expect(await write()).toBe(503)
    await expect(clientele.ping()).rejects.toMatchObject({ code: 'storage_unavailable' })
    await clientele.close()
    const database = new Sqlite(filename)
    onTestFinished(() => void database.close())
    expect(database.prepare('select email from clientele_users').all()).toHaveLength(2)
  },
)

test('a read-only file is reported at the start and later', async () => {
  const filename = join(await makeFolder(), 'users.sqlite')
  new Sqlite(filename).exec('create table own (id integer)').close()
  const open = () => sqlite({ database: new Sqlite(filename, { readonly: true }) })
  expect(open).toThrow(`The SQLite file ${filename} cannot be written: it, its folder`)
  const { clientele } = await openHouse(filename)
  await clientele.close()
  // With the log beside it nothing is written before the first change is.
  const keeper = new Sqlite(filename)
  keeper.pragma('journal_mode = WAL')
  const later = await createClientele({
    repository: open(),
    secrets: ['a secret of the tests, 32 characters'],
    lazyKeys: true,
    logger,
  })
  await expect(later.accounts.create({ name: 'Globex' })).rejects.toMatchObject({
    code: 'storage_unavailable',
    message: expect.stringContaining('read only'),
  })
  await later.close()
  keeper.close()
})

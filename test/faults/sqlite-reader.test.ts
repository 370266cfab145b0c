import { execFile } from 'node:child_process'
import { copyFile, cp, mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createClientele } from '@clientele/core'
import { sqlite } from '@clientele/core/sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { insertUsers } from '../support/run-sql.ts'
import { idsOf, watchThreads } from '../support/watch-threads.ts'

const logger = { info: () => {}, warn: () => {}, error: () => {} }
const root = join(import.meta.dirname, '../..')

async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'clientele-reader-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** Every second one of those that are inserted, and one more */
const inactive = 10_001

/** An account so large that a list with a filter is read by the thread. */
async function openHouse(filename: string) {
  const clientele = await createClientele({ repository: sqlite({ filename }), logger })
  onTestFinished(() => clientele.close())
  const account = await clientele.accounts.create({ name: 'Acme' })
  const person = { name: 'Ada', email: 'ada@example.com', password: 'password', isActive: false }
  await clientele.users.create(account.id, person)
  await insertUsers(`sqlite:${filename}`, account.id, 20_000)
  await clientele.accounts.recount(account.id)
  const count = async () => (await clientele.users.list(account.id, { isActive: false })).total
  return { clientele, account, count }
}

test('one thread reads, and ends with its Clientele', async () => {
  const threads = watchThreads()
  const { clientele, count } = await openHouse(join(await makeFolder(), 'users.sqlite'))
  expect([await count(), await count()]).toEqual([inactive, inactive])
  expect(threads).toHaveLength(1)
  await clientele.close()
  expect(idsOf(threads)).toEqual([-1])
})

test('small lists are read without the thread, even in many simultaneous calls', async () => {
  const threads = watchThreads()
  const { clientele, account } = await openHouse(join(await makeFolder(), 'users.sqlite'))
  const ask = async () =>
    (await clientele.users.list(account.id, { role: 'rare', sort: 'name' })).total
  const totals = await Promise.all(Array.from({ length: 400 }, ask))
  expect(new Set(totals)).toEqual(new Set([20]))
  const found = await clientele.users.list(account.id, { q: 'user1999', isActive: true })
  expect(found.total).toBe(6)
  expect(threads).toEqual([])
})

test('no read is refused that the thread can serve in time', async () => {
  const threads = watchThreads()
  const { clientele, account } = await openHouse(join(await makeFolder(), 'users.sqlite'))
  const list = () => clientele.users.list(account.id, { isActive: true, limit: 1 })
  await list()
  const totals = await Promise.all(Array.from({ length: 150 }, async () => (await list()).total))
  expect(new Set(totals)).toEqual(new Set([10_000]))
  expect(threads).toHaveLength(1)
})

test('a read that waits when the thread is closed fails, and starts no other thread', async () => {
  const threads = watchThreads()
  const filename = join(await makeFolder(), 'users.sqlite')
  const { clientele, count } = await openHouse(filename)
  const codes = Array.from({ length: 20 }, () =>
    count().then(String, (error: { code?: unknown }) => error.code),
  )
  await new Promise(setImmediate)
  await clientele.close()
  expect(new Set(await Promise.all(codes))).toEqual(new Set(['storage_unavailable']))
  expect(idsOf(threads)).toEqual([-1])
})

test('a thread that dies is replaced, and waiting reads are answered', async () => {
  const threads = watchThreads()
  const { count } = await openHouse(join(await makeFolder(), 'users.sqlite'))
  expect(await count()).toBe(inactive)
  await threads[0]?.terminate()
  expect(await count()).toBe(inactive)
  expect(threads).toHaveLength(2)
  const waiting = [count(), count(), count()]
  await new Promise(setImmediate)
  await threads[1]?.terminate()
  expect(await Promise.all(waiting)).toEqual([inactive, inactive, inactive])
})

test('the thread reads the file that was opened, even after a change of the current folder', async () => {
  const folder = await makeFolder()
  const elsewhere = join(folder, 'elsewhere')
  await mkdir(elsewhere)
  await sqlite({ filename: join(elsewhere, 'users.sqlite') }).storage.migrate()
  const before = process.cwd()
  onTestFinished(() => process.chdir(before))
  process.chdir(folder)
  const { count } = await openHouse('users.sqlite')
  process.chdir(elsewhere)
  expect(await count()).toBe(inactive)
})

test('a file that replaces the opened one is not read', async () => {
  const folder = await makeFolder()
  const [filename, other] = [join(folder, 'users.sqlite'), join(folder, 'other.sqlite')]
  await sqlite({ filename: other }).storage.migrate()
  const { clientele, account, count } = await openHouse(filename)
  expect((await clientele.users.list(account.id)).total).toBe(20_001)
  await rename(filename, join(folder, 'away'))
  await copyFile(other, filename)
  await expect(count()).rejects.toMatchObject({ code: 'storage_unavailable' })
  await rename(join(folder, 'away'), filename)
  expect(await count()).toBe(inactive)
})

test.each([
  ['is not where it should be', [], true],
  [
    'is not allowed',
    ['--permission', '--allow-addons', '--allow-fs-read=*', '--allow-fs-write=*'],
    false,
  ],
])('where the thread %s, the list is read without it', async (_, options, isBundled) => {
  const folder = await makeFolder()
  const filename = join(folder, 'users.sqlite')
  const { clientele, account } = await openHouse(filename)
  await clientele.close()
  const core = join(root, 'packages/core')
  if (isBundled) {
    await cp(join(core, 'dist'), join(folder, 'dist'), { recursive: true })
    await rm(join(folder, 'dist/sql'), { recursive: true })
    await symlink(join(core, 'node_modules'), join(folder, 'node_modules'))
  }
  const dist = isBundled ? join(folder, 'dist') : join(core, 'dist')
  const script = join(folder, 'count.mjs')
  await writeFile(
    script,
    `import { createClientele } from ${JSON.stringify(join(dist, 'index.js'))}
    import { sqlite } from ${JSON.stringify(join(dist, 'sqlite.js'))}
    const repository = sqlite({ filename: ${JSON.stringify(filename)} })
    const clientele = await createClientele({ repository })
    const { total } = await clientele.users.list('${account.id}', { isActive: false })
    console.log('counted', total)
    await clientele.close()`,
  )
  const { stdout } = await promisify(execFile)(process.execPath, [...options, script])
  expect(stdout).toBe(`counted ${inactive}\n`)
})

import { existsSync, readFileSync } from 'node:fs'
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Clientele, createClientele } from '@clientele/core'
import { sqlite } from '@clientele/core/sqlite'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { LogRecorder } from '../keys/open-clientele.ts'

let filename = ''
let secretFile = ''

beforeEach(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'clientele-secret-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  filename = join(folder, 'users.sqlite')
  secretFile = `${filename}.secret`
})

async function start(): Promise<LogRecorder> {
  const logger = new LogRecorder()
  const clientele = await createClientele({ repository: sqlite({ filename }), logger })
  await clientele.close()
  return logger
}

test('a secret is generated once, readable by its owner only, and then reused', async () => {
  const opened = Array.from({ length: 8 }, () => sqlite({ filename }).storage)
  const secrets = opened.map((storage) => storage.localSecret?.().secret)
  expect(new Set(secrets).size).toBe(1)
  expect(readFileSync(secretFile, 'utf8')).toBe(`${secrets[0]}\n`)
  expect((await stat(secretFile)).mode & 0o777).toBe(0o600)
  for (const storage of opened) await storage.close()
  expect((await readdir(join(filename, '..'))).filter((name) => /partial/.test(name))).toEqual([])
})

test.each([
  ['is empty', ''],
  ['is empty', '\n'],
  ['has bytes that are not text', '\0'.repeat(44)],
  ['has bytes that are not text', 'x'.repeat(5000)],
  ['has fewer than 32 characters', 'cut off'],
])('a secret that %s is reported with its file', async (what, content) => {
  await start()
  await writeFile(secretFile, content)
  await expect(start()).rejects.toMatchObject({
    code: 'secret_required',
    message: expect.stringContaining(`The file ${secretFile} with the secret ${what}`),
  })
  expect(await readFile(secretFile, 'utf8')).toBe(content)
})

test.each<[what: string, encrypt: (clientele: Clientele, accountId: string) => Promise<unknown>]>([
  ['signing keys', ({ signingKeys }, accountId) => signingKeys.rotate(accountId)],
  [
    'a shared secret of an issuer',
    ({ trustedIssuers }, accountId) =>
      trustedIssuers.create(accountId, {
        issuer: 'https://issuer.example',
        audience: 'app',
        algorithms: ['HS256'],
        sharedSecret: 'x'.repeat(64),
      }),
  ],
  [
    'a chain of events',
    async ({ users, events }, accountId) => {
      await users.create(accountId, { name: 'Ada', email: 'ada@example.com', password: 'password' })
      await events.verify(accountId)
    },
  ],
])('a lost secret is reported and not replaced, if the database has %s', async (_, encrypt) => {
  const open = () =>
    createClientele({
      repository: sqlite({ filename }),
      audit: { chain: true },
      logger: new LogRecorder(),
    })
  const first = await open()
  await encrypt(first, (await first.accounts.create({ name: 'Acme' })).id)
  await first.close()
  const secret = await readFile(secretFile, 'utf8')
  await rm(secretFile)
  for (let time = 0; time < 2; time++) {
    await expect(open()).rejects.toMatchObject({
      code: 'secret_required',
      message: expect.stringContaining(`there is no file ${secretFile}. Put the file back`),
    })
    expect(existsSync(secretFile)).toBe(false)
  }
  await writeFile(secretFile, secret)
  await (await open()).close()
})

test('a database in which nothing is encrypted gets another secret', async () => {
  await start()
  await rm(secretFile)
  await start()
  expect(existsSync(secretFile)).toBe(true)
})

test('a world-readable secret is restricted to its owner, with a warning; a group-readable one stays', async () => {
  await start()
  await chmod(secretFile, 0o644)
  const { lines } = await start()
  expect((await stat(secretFile)).mode & 0o777).toBe(0o600)
  expect(lines).toContainEqual(
    expect.objectContaining({ level: 'warn', details: { file: secretFile } }),
  )
  await chmod(secretFile, 0o640)
  await start()
  expect((await stat(secretFile)).mode & 0o777).toBe(0o640)
})

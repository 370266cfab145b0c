import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Clientele, createClientele } from '@clientele/core'
import { openRepository } from '@clientele/core/database-url'
import { clienteleListener } from '@clientele/core/node'
import Sqlite from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { cheapHashing, codeOf, LogRecorder } from '../keys/open-clientele.ts'
import { databases, type OpenDatabase } from '../support/databases.ts'
import { logIn } from '../support/log-in.ts'
import { alterJws } from './support/alter-jws.ts'
import { hasPublishedVectors, readForeignJws } from './support/vectors.ts'

// What this stack does to naive code, where no other suite holds it: repeated headers, media types, body sizes, NUL,
// __proto__ and forged tokens are cases of the HTTP contract; dead connections, time limits and migrations at once are
// in test/faults; hashes that cost too much are in test/keys.

describe.each(databases)('traps of the stack on $name', ({ name, open }) => {
  let database: OpenDatabase
  let clientele: Clientele
  let origin: string
  let accountId: string
  let key: string
  const server = createServer((request, response) =>
    clienteleListener(clientele)(request, response),
  )

  beforeAll(async () => {
    database = await open()
    clientele = await start()
    accountId = (await clientele.accounts.create({ name: 'Acme' })).id
    key = (await clientele.apiKeys.create(accountId)).apiKey
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}` // it listens on a port
  })
  afterAll(async () => {
    server.close()
    await clientele.close()
    await database.close()
  })

  async function start(hashing: object = cheapHashing): Promise<Clientele> {
    return createClientele({
      repository: await openRepository(database.url),
      secrets: ['a secret of the tests, 32 characters'],
      passwords: { hashing },
      logger: new LogRecorder(),
    })
  }

  async function post(path: string, body: unknown): Promise<{ status: number; code?: string }> {
    const response = await fetch(origin + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    const { code } = (await response.json()) as { code?: string } // problems have one
    return { status: response.status, ...(code === undefined ? {} : { code }) }
  }

  test('of 40 simultaneous creates of an e-mail one is 201 and 39 are 409', async () => {
    const user = { name: 'Ada', email: `${randomUUID()}@example.com`, password: 'password' }
    const answers = await Promise.all(Array.from({ length: 40 }, () => post('/client/user', user)))
    const statuses = answers.map(({ status }) => status).sort()
    expect(statuses).toEqual([201, ...new Array<number>(39).fill(409)])
  })

  test('e-mails are unique beyond ASCII: by our normalisation, not by the database', async () => {
    const local = `${randomUUID()}.ÄÖÜ.É`
    const first = { name: 'Ada', email: `${local}@example.com`, password: 'password' }
    expect((await post('/client/user', first)).status).toBe(201)
    for (const email of [local.toLowerCase(), local.normalize('NFD')]) {
      const again = await post('/client/user', { ...first, email: `${email}@EXAMPLE.com` })
      expect(again).toEqual({ status: 409, code: 'email_taken' })
    }
  })

  test('a listener may call back: no transaction is open while it runs', async () => {
    const seen = new Promise<string>((resolve, reject) => {
      const end = clientele.events.on('user.created', async ({ user }) => {
        end()
        const changed = await clientele.users.patch(accountId, user.id, { name: 'From a listener' })
        resolve(changed.user.name)
      })
      setTimeout(() => reject(new Error('The listener waits.')), 5000).unref()
    })
    await post('/client/user', {
      name: 'Ada',
      email: `${randomUUID()}@example.com`,
      password: 'password',
    })
    expect(await seen).toBe('From a listener')
  })

  test('two processes that read and write at once both succeed', async () => {
    const other = await start()
    const { user } = await clientele.users.create(accountId, {
      name: 'Ada',
      email: `${randomUUID()}@example.com`,
      password: 'password',
    })
    const instances = [clientele, other]
    await Promise.all(
      Array.from({ length: 6 }, (_, index) =>
        instances[index % 2]?.users.patch(accountId, user.id, {
          metadata: { [`k${index % 5}`]: index },
        }),
      ),
    )
    const { user: changed } = await other.users.find(accountId, user.id)
    expect(Object.keys(changed.metadata).sort()).toEqual(['k0', 'k1', 'k2', 'k3', 'k4'])
    await other.close()
  })

  test('hashes wait in a bounded queue, and the other threads stay free', async () => {
    const small = await start({ memoryKiB: 19_456, passes: 2, concurrency: 1, queueLength: 4 })
    const attempt = () =>
      codeOf(small.auth.logIn(accountId, { email: 'nobody@example.com', password: 'password' }))
    const codes = await Promise.all(Array.from({ length: 30 }, attempt))
    expect(new Set(codes)).toContain('overloaded')
    expect(codes.filter((code) => code === 'credentials_invalid').length).toBeGreaterThan(0)
    expect(codes.filter((code) => code !== 'overloaded' && code !== 'credentials_invalid')).toEqual(
      [],
    )
    await small.close()
  })

  test.runIf(name === 'sqlite')('acknowledged writes survive a power cut', async () => {
    const connection = new Sqlite(database.url.slice('sqlite:'.length))
    expect(connection.pragma('journal_mode', { simple: true })).toBe('wal')
    connection.close()
    const own = new Sqlite(':memory:')
    const { sqlite } = await import('@clientele/core/sqlite')
    sqlite({ database: own })
    const full = 2
    expect(own.pragma('synchronous', { simple: true })).toBe(full)
    expect(own.pragma('foreign_keys', { simple: true })).toBe(1)
    own.close()
  })

  const validate = (jws: string) =>
    post('/client/user/auth/validation-token', { token: `Bearer ${jws}` })

  test('our token is valid only in the exact form in which it was issued', async () => {
    const person = { name: 'Ada', email: `${randomUUID()}@example.com`, password: 'password' }
    await clientele.users.create(accountId, person)
    const { token } = await logIn(clientele, accountId, person)
    expect(await validate(token)).toEqual({ status: 200 })
    const altered = Object.entries(alterJws(token))
    expect(altered.length).toBeGreaterThan(40)
    for (const [what, jws] of altered) await expectRefused(what, jws)
    expect(await validate(token)).toEqual({ status: 200 })
  })

  test.skipIf(!hasPublishedVectors)(
    'no signature of Wycheproof is accepted or causes a fault (skipped without ../shared/vectors)',
    async () => {
      const foreign = readForeignJws()
      expect(foreign.length).toBeGreaterThan(400)
      for (const jws of foreign) await expectRefused(jws, jws)
    },
  )

  async function expectRefused(what: string, jws: string): Promise<void> {
    const { status, code } = await validate(jws)
    // Some are not in the form of a token at all.
    expect([401, 422], `${status} for ${what}`).toContain(status)
    expect(code, what).toMatch(/^token_|^validation_failed$/)
  }
})

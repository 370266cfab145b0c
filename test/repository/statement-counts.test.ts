import { randomUUID } from 'node:crypto'
import type { Clientele } from '@clientele/core'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { send } from '../keys/open-clientele.ts'
import { databases, type TestDatabase } from '../support/databases.ts'
import { logIn, toRefresh } from '../support/log-in.ts'
import { openRecordedClientele, type RecordedClientele } from '../support/recorded-clientele.ts'
import type { RecordedRepository } from '../support/statement-recorder.ts'

/**
 * What each call may send to the database at most. A transaction's BEGIN and COMMIT count: each is a round trip. Whoever
 * signs a token asks which key does: one that was removed elsewhere signs no more.
 */
const limits: Record<TestDatabase['name'], Record<string, number>> = {
  sqlite: {
    create: 8,
    replace: 8,
    logIn: 9,
    refresh: 3,
    validate: 2,
    validateMany: 103,
    introspect: 2,
    createByKey: 9,
    createOnce: 10,
    repeat: 1,
  },
  postgres: {
    create: 2,
    replace: 5,
    logIn: 6,
    refresh: 3,
    validate: 1,
    validateMany: 2,
    introspect: 1,
    createByKey: 2,
    createOnce: 6,
    repeat: 1,
  },
}

describe.each(databases)('statements on $name', ({ name, open }) => {
  let world: RecordedClientele
  let recorded: RecordedRepository
  let clientele: Clientele
  let accountId: string

  beforeAll(async () => {
    // What runs by a timer, as linking events does, belongs to no call.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    world = await openRecordedClientele(open)
    ;({ clientele, recorded } = world)
    accountId = (await clientele.accounts.create({ name: 'Acme' })).id
  })
  afterAll(async () => {
    vi.useRealTimers()
    await world.close()
  })

  const credentials = () => ({ email: `${randomUUID()}@example.com`, password: 'password' })

  async function countOf(call: () => Promise<unknown>): Promise<number> {
    // The first call prepares, makes a signing key, and reads what is remembered from then on.
    await call()
    recorded.take()
    await call()
    return recorded.take().length
  }

  test('creating, replacing, signing in and refreshing stay within their limits', async () => {
    const { user } = await clientele.users.create(accountId, { name: 'Ada', ...credentials() })
    const known = credentials()
    const repeated = credentials()
    const { apiKey: key } = await clientele.apiKeys.create(accountId)
    const sendOk = async (url: string, body: object, type?: string) => {
      const { status } = await send(clientele, 'POST', url, { key, body, ...(type && { type }) })
      expect(status).toBeLessThan(300)
    }
    // Notes the key's use, which is done once a minute.
    await sendOk('/client/user', { name: 'Ada', ...credentials() })
    await expect
      .poll(async () => (await clientele.apiKeys.list(accountId))[0]?.lastUsedAt)
      .not.toBeNull()
    await clientele.users.create(accountId, { name: 'Grace', ...known })
    const createOnce = (idempotencyKey: string, input: typeof known) =>
      clientele.users.create({ accountId, idempotencyKey }, { name: 'Ada', ...input })
    let session = await logIn(clientele, accountId, known)
    const counts = {
      create: await countOf(() =>
        clientele.users.create(accountId, { name: 'Ada', ...credentials() }),
      ),
      replace: await countOf(() =>
        clientele.users.replace(accountId, user.id, {
          name: `Ada ${randomUUID().slice(0, 8)}`,
          email: user.email,
        }),
      ),
      logIn: await countOf(() => logIn(clientele, accountId, known)),
      refresh: await countOf(async () => {
        session = await clientele.auth.refresh(accountId, toRefresh(session))
      }),
      // The API key, and in the same round trip the token's user and session; SQLite is asked in this process.
      validate: await countOf(async () => {
        const body = { token: `Bearer ${session.token}` }
        await sendOk('/client/user/auth/validation-token', body)
      }),
      // The API key, and then all of them together.
      validateMany: await countOf(async () => {
        const body = { tokens: Array(100).fill(`Bearer ${session.token}`) }
        await sendOk('/client/user/auth/validation-tokens', body)
      }),
      introspect: await countOf(async () => {
        const type = 'application/x-www-form-urlencoded'
        await sendOk('/client/user/auth/introspect', { token: session.token }, type)
      }),
      // What the account allows was read with the API key.
      createByKey: await countOf(() => sendOk('/client/user', { name: 'Ada', ...credentials() })),
      // A look for the answer, and the answer in the same transaction.
      createOnce: await countOf(() => createOnce(randomUUID(), credentials())),
      // Neither a password is hashed nor anything written.
      repeat: await countOf(() => createOnce('repeated', repeated)),
    }
    const over = Object.entries(counts).filter(([call, count]) => count > (limits[name][call] ?? 0))
    expect(over).toEqual([])
    expect(Object.values(counts).every((count) => count > 0)).toBe(true)
  })

  test('simultaneous checks of readiness share one statement, and later ones ask again', async () => {
    recorded.take()
    await Promise.all(Array.from({ length: 200 }, () => clientele.ping()))
    expect(recorded.take()).toHaveLength(1)
    await clientele.ping()
    expect(recorded.take()).toHaveLength(1)
  })

  test('simultaneous calls share statements, and later calls see what was written meanwhile', async () => {
    const known = credentials()
    await clientele.users.create(accountId, { name: 'Ada', ...known })
    const { token } = await logIn(clientele, accountId, known)
    await clientele.auth.validateToken(accountId, token)
    const { total } = await clientele.users.list(accountId)
    const atOnce = async (call: () => Promise<unknown>) => {
      recorded.take()
      await Promise.all(Array.from({ length: 8 }, call))
      return recorded.take().map(({ sql }) => sql)
    }
    const validations = await atOnce(() => clientele.auth.validateToken(accountId, token))
    const looksUp = validations.filter((sql) => sql.startsWith('select '))
    expect(looksUp.length).toBe(1)
    expect(validations.filter((sql) => sql === 'begin').length).toBe(name === 'sqlite' ? 1 : 0)
    const lists = await atOnce(() => clientele.users.list(accountId))
    expect(lists.length).toBe(name === 'sqlite' ? 8 : 1)
    const [, , later] = await Promise.all([
      clientele.users.list(accountId),
      clientele.users.list(accountId, { page: 2 }),
      clientele.users
        .create(accountId, { name: 'Grace', ...credentials() })
        .then(() => clientele.users.list(accountId)),
    ])
    expect(later.total).toBe(total + 1)
  })

  test.runIf(name === 'sqlite')('no plan of SQLite depends on a value', async () => {
    recorded.take()
    const { user } = await clientele.users.create(accountId, { name: 'Ada', ...credentials() })
    await clientele.users.list(accountId, { q: 'ada', limit: 3 })
    await clientele.users.list(accountId)
    await clientele.sessions.list(accountId, user.id)
    const statements = recorded.take().map(({ sql }) => sql)
    expect(statements.filter((sql) => sql.includes('order by')).length).toBeGreaterThan(2)
    // Of a bare parameter it looks at the value, and plans anew each time that one is bound.
    expect(statements.filter((sql) => /(?<!\+)\?/.test(sql))).toEqual([])
  })
})

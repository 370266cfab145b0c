import { randomUUID } from 'node:crypto'
import { type Clientele, createClientele } from '@clientele/core'
import { sqlite } from '@clientele/core/sqlite'
import Sqlite from 'better-sqlite3'
import { Pool } from 'pg'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { codeOf, LogRecorder, openClientele } from '../keys/open-clientele.ts'
import { databases, type OpenDatabase } from '../support/databases.ts'
import { hostKinds } from './hosts.ts'
import type { Host } from './library-host.ts'
import { isPrismaInstalled, openClient } from './prisma-host.ts'

const secrets = ['a secret of the tests, 32 characters']
const password = 'correct horse battery'
const ada = (name: string) => ({ name: 'Ada Lovelace', email: `${name}@example.com`, password })

describe.each(databases)('within() on $name', ({ name, open }) => {
  let database: OpenDatabase
  let clientele: Clientele
  /** With the same tables */
  let foreign: OpenDatabase
  let stranger: Clientele

  beforeAll(async () => {
    database = await open()
    foreign = await open()
    clientele = await openClientele(database.url, { secrets })
    stranger = await openClientele(foreign.url, { secrets })
    for (const { url } of [database, foreign]) {
      const host = await connectClient(url)
      await host.run('create table profiles (user_id text primary key)')
      await host.end()
    }
  })
  afterAll(async () => {
    await clientele.close()
    await stranger.close()
    await foreign.close()
    await database.close()
  })

  /** The plainest of them */
  function connectClient(url = database.url): Promise<Host> {
    const [kind] = hostKinds[name]
    if (kind === undefined) throw new Error('There is a kind for each database.')
    return kind.connect(url)
  }

  describe.each(hostKinds[name])('with $name', ({ name: kind, connect }) => {
    let host: Host
    let accountId: string
    /** What listeners have heard, by the part of the address that a test has for itself */
    const told = new Map<string, string[]>()

    beforeAll(async () => {
      accountId = (await clientele.accounts.create({ name: 'Acme' })).id
      host = await connect(database.url)
      for (const type of [
        'user.created',
        'user.updated',
        'user.deleted',
        'user.deactivated',
      ] as const)
        clientele.events.on(type, (event) => {
          if (event.accountId !== accountId) return
          const { email } = event.user
          const [topic = ''] = email.split(/[-@]/)
          told.set(topic, [...(told.get(topic) ?? []), `${type} ${email}`])
        })
    })
    afterAll(() => host.end())

    const readFeed = async () => (await clientele.events.read(accountId, { limit: 1000 })).data
    const emails = async (q: string) =>
      (await clientele.users.list(accountId, { q })).data.map(({ email }) => email)

    const findProfile = (id: string) =>
      host.run(`select user_id from profiles where user_id = '${id}'`)

    async function addBoth(email: string): Promise<string> {
      const { user } = await clientele.within(host.handle).users.create(accountId, ada(email))
      await host.run(`insert into profiles values ('${user.id}')`)
      return user.id
    }

    test.each(['nothing', 'another transaction'])(
      'a call that comes too late writes nothing: after the rollback comes %s',
      async (next) => {
        await host.begin()
        const late = codeOf(clientele.within(host.handle).users.create(accountId, ada('late')))
        await host.rollback()
        if (next !== 'nothing') await host.begin()
        expect(await late).toBe('transaction_required')
        if (next !== 'nothing') await host.commit()
        expect(await emails('late')).toEqual([])
        expect(told.get('late')).toBeUndefined()
      },
    )

    // Kysely 0.27 runs what comes after the end, and SQLite can't bind a statement to a transaction as PostgreSQL can.
    const runsWhatIsLate = name === 'sqlite' && kind.endsWith('0.27')
    test.skipIf(runsWhatIsLate)(
      'a call writes nothing past the rollback, whenever that comes',
      async () => {
        const { user } = await clientele.users.create(accountId, ada('whenever'))
        for (let pauses = 0; pauses < 24; pauses++) {
          await host.begin()
          const { handle } = host
          const call = codeOf(
            clientele.within(handle).users.patch(accountId, user.id, { name: `Late ${pauses}` }),
          )
          for (let count = 0; count < pauses; count++)
            await (pauses % 2 === 0 ? Promise.resolve() : host.run('select 1 as one'))
          await host.rollback().catch(() => {})
          const code = await call
          expect(['transaction_required', undefined]).toContain(code)
          expect((await clientele.users.find(accountId, user.id)).user.name).toBe('Ada Lovelace')
        }
        await clientele.users.delete(accountId, user.id)
      },
    )

    test('user, event and row exist after the commit, and listeners are called then', async () => {
      await host.begin()
      const id = await addBoth('together')
      expect(await emails('together')).toEqual([])
      await new Promise((resolve) => setTimeout(resolve, 50))
      expect(told.get('together')).toBeUndefined()
      await host.commit()
      expect(await emails('together')).toEqual(['together@example.com'])
      expect(await findProfile(id)).toEqual([{ user_id: id }])
      expect((await readFeed()).at(-1)).toMatchObject({ type: 'user.created', subject: { id } })
      await vi.waitFor(() =>
        expect(told.get('together')).toEqual(['user.created together@example.com']),
      )
      expect((await clientele.users.list(accountId)).total).toBe(1)
    })

    test('a rollback leaves no rows of either, and publishes no events', async () => {
      const before = await readFeed()
      await host.begin()
      const id = await addBoth('undone')
      await host.rollback()
      expect(await emails('undone')).toEqual([])
      expect(await findProfile(id)).toEqual([])
      expect(await readFeed()).toEqual(before)
      expect((await clientele.users.list(accountId)).total).toBe(1)
      await host.begin()
      await addBoth('next')
      await host.commit()
      // The next one is told of, and the one before it was not.
      await vi.waitFor(() => expect(told.get('next')).toEqual(['user.created next@example.com']))
      expect(told.get('undone')).toBeUndefined()
    })

    test('the transaction sees its own users; a call that fails leaves it usable', async () => {
      await host.begin()
      const { users, sessions } = clientele.within(host.handle)
      const { user } = await users.create(accountId, ada('seen'))
      expect(await codeOf(users.create(accountId, ada('seen')))).toBe('email_taken')
      expect(await codeOf(users.create(accountId, { ...ada('bad'), name: 'A' }))).toBe(
        'validation_failed',
      )
      const missing = '019dfae2-6a4d-7c3e-9b1f-2f4a5c6d7e8f'
      expect(await codeOf(users.find(accountId, missing))).toBe('user_not_found')
      expect(await codeOf(users.create(missing, ada('nowhere')))).toBe('account_not_found')
      await users.patch(accountId, user.id, { name: 'Ada King', password: 'another battery' })
      await users.deactivate(accountId, user.id)
      expect((await users.find(accountId, user.id)).user).toMatchObject({
        name: 'Ada King',
        isActive: false,
      })
      expect(await sessions.list(accountId, user.id)).toEqual([])
      expect((await users.list(accountId, { q: 'king' })).total).toBe(1)
      await host.commit()
      expect((await clientele.users.find(accountId, user.id)).user.name).toBe('Ada King')
      await vi.waitFor(() =>
        expect(told.get('seen')).toEqual([
          'user.created seen@example.com',
          'user.updated seen@example.com',
          'user.deactivated seen@example.com',
        ]),
      )
    })

    test('an account, its key and its first user are created together or not at all', async () => {
      await host.begin()
      const { accounts, apiKeys, users } = clientele.within(host.handle)
      const account = await accounts.create({ name: 'Globex' })
      const { apiKey } = await apiKeys.create(account.id)
      const { user } = await users.create(account.id, ada('first'))
      const identity = { issuer: 'https://login.example.com', subject: 'first' }
      await clientele.within(host.handle).identities.link(account.id, user.id, identity)
      expect(await codeOf(clientele.accounts.find(account.id))).toBe('account_not_found')
      await host.commit()
      expect((await clientele.apiKeys.authenticate(apiKey)).accountId).toBe(account.id)
      expect((await clientele.users.list(account.id)).total).toBe(1)
      expect(await clientele.identities.list(account.id, user.id)).toMatchObject([identity])
    })

    test('a slug that is taken leaves the transaction usable, and a rollback frees one', async () => {
      const { slug } = await clientele.accounts.create({
        name: 'Holder',
        slug: `s-${randomUUID()}`,
      })
      const free = `s-${randomUUID()}`
      await host.begin()
      const { accounts } = clientele.within(host.handle)
      expect(await codeOf(accounts.create({ name: 'Globex', slug }))).toBe('slug_taken')
      const account = await accounts.create({ name: 'Globex', slug: free })
      expect(await codeOf(accounts.update(account.id, { slug, name: 'New' }))).toBe('slug_taken')
      expect(await accounts.find({ slug: free })).toEqual(account)
      expect(await codeOf(clientele.accounts.find({ slug: free }))).toBe('account_not_found')
      await host.rollback()
      expect(await codeOf(clientele.accounts.find({ slug: free }))).toBe('account_not_found')
      await clientele.accounts.create({ name: 'Later', slug: free })
    })

    test('simultaneous calls on one handle take turns', async () => {
      await host.begin()
      const { users } = clientele.within(host.handle)
      const outcomes = await Promise.allSettled(
        ['one', 'two', 'one', 'three'].map((email) =>
          users.create(accountId, ada(`turn-${email}`)),
        ),
      )
      expect(outcomes.map(({ status }) => status)).toEqual([
        'fulfilled',
        'fulfilled',
        'rejected',
        'fulfilled',
      ])
      await host.commit()
      expect(await emails('turn')).toHaveLength(3)
      await vi.waitFor(() =>
        expect(told.get('turn')).toEqual(
          ['one', 'two', 'three'].map((email) => `user.created turn-${email}@example.com`),
        ),
      )
    })

    test('two simultaneous transactions end independently', async () => {
      const other = await connect(database.url)
      await host.begin()
      await clientele.within(host.handle).users.create(accountId, ada('left'))
      // SQLite has one writer at a time.
      if (name === 'sqlite') await host.rollback()
      await other.begin()
      await clientele.within(other.handle).users.create(accountId, ada('right'))
      await other.commit()
      if (name === 'postgres') await host.rollback()
      expect(await emails('left')).toEqual([])
      expect(await emails('right')).toEqual(['right@example.com'])
      await vi.waitFor(() => expect(told.get('right')).toEqual(['user.created right@example.com']))
      expect(told.get('left')).toBeUndefined()
      await other.end()
    })

    test('a call after the end is refused, and nothing is written', async () => {
      await host.begin()
      const { users } = clientele.within(host.handle)
      await users.list(accountId)
      await host.rollback()
      expect(await codeOf(users.list(accountId))).toBe('transaction_required')
      expect(await codeOf(users.create(accountId, ada('none')))).toBe('transaction_required')
      expect(await emails('none')).toEqual([])
    })

    test('a handle of another database is refused by name', async () => {
      const theirs = await connect(foreign.url)
      await theirs.begin()
      // The same handle, where it belongs.
      await stranger.within(theirs.handle).accounts.create({ name: 'Theirs' })
      const call = async () =>
        clientele.within(theirs.handle).users.create(accountId, ada('foreign'))
      expect(await codeOf(call())).toBe('transaction_foreign')
      // The failure has left it usable.
      await theirs.run("insert into profiles values ('usable')")
      await theirs.commit()
      expect(await theirs.run('select user_id from profiles')).toHaveLength(1)
      await theirs.run('delete from profiles')
      await theirs.end()
    })

    test('other calls continue while a transaction is open', async () => {
      await host.begin()
      await clientele.within(host.handle).users.find(accountId, await firstUser())
      const { user } = await clientele.users.create(accountId, ada('beside'))
      await clientele.users.patch(accountId, user.id, { name: 'Ada King' })
      await host.rollback()
      expect(await emails('beside')).toEqual(['beside@example.com'])
    })

    async function firstUser(): Promise<string> {
      const { data } = await clientele.users.list(accountId, { limit: 1 })
      return data[0]?.id ?? ''
    }

    test.runIf(name === 'postgres')('a transaction that has failed is reported', async () => {
      await host.begin()
      await host.run('select 1 / 0').catch(() => {})
      const { users } = clientele.within(host.handle)
      expect(await codeOf(users.create(accountId, ada('failed')))).toBe('transaction_failed')
      await host.rollback()
    })
  })

  test.runIf(isPrismaInstalled)(
    "a client of Prisma is refused by name (skipped where Prisma's 300 MB are not installed; .ci/run does so)",
    async () => {
      const prisma = await openClient(database.url)
      expect(() => clientele.within(prisma)).toThrow(/was given a Prisma client/)
      await prisma.$disconnect()
    },
  )

  test('an argument that is not a handle is refused by name', () => {
    for (const handle of [null, undefined, 'client', {}, () => {}])
      expect(() => clientele.within(handle as never)).toThrow(/within\(\) takes/)
  })

  test('a connection without an open transaction is refused', async () => {
    const { id } = await clientele.accounts.create({ name: 'Acme' })
    const host = await connectClient()
    const { users } = clientele.within(host.handle)
    expect(await codeOf(users.create(id, ada('none')))).toBe('transaction_required')
    expect(await codeOf(users.list(id))).toBe('transaction_required')
    await host.end()
    expect((await clientele.users.list(id)).total).toBe(0)
  })

  test('a process that ends before the commit leaves no rows', async () => {
    const { id } = await clientele.accounts.create({ name: 'Acme' })
    const host = await connectClient()
    await host.begin()
    await clientele.within(host.handle).users.create(id, ada('gone'))
    await host.end()
    expect((await clientele.users.list(id)).total).toBe(0)
    expect((await clientele.events.read(id)).data.map(({ type }) => type)).not.toContain(
      'user.created',
    )
  })

  test.runIf(name === 'postgres')('a pool is refused, a client of it is accepted', async () => {
    const { id } = await clientele.accounts.create({ name: 'Acme' })
    const told: string[] = []
    clientele.events.on('user.created', ({ accountId, user }) => {
      if (accountId === id) told.push(user.email)
    })
    const pool = new Pool({ connectionString: database.url, max: 4 })
    pool.on('error', () => {})
    expect(() => clientele.within(pool)).toThrow(/was given a pool/)
    await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        const client = await pool.connect()
        await client.query('begin')
        await clientele.within(client).users.create(id, ada(`pooled-${index}`))
        await client.query(index % 2 === 0 ? 'commit' : 'rollback')
        client.release()
      }),
    )
    expect((await clientele.users.list(id)).total).toBe(10)
    await vi.waitFor(() => expect(told).toHaveLength(10))
    await pool.end()
  })
})

test("on Clientele's own connection, other writes wait for the end of the transaction", async () => {
  const database = new Sqlite(':memory:')
  const clientele = await createClientele({
    repository: sqlite({ database }),
    logger: new LogRecorder(),
  })
  const { id: accountId } = await clientele.accounts.create({ name: 'Acme' })
  const told: string[] = []
  clientele.events.on('user.created', ({ user }) => told.push(user.email))
  for (const end of ['commit', 'rollback']) {
    database.exec('begin')
    await clientele.within(database).users.create(accountId, ada(`own-${end}`))
    const beside = clientele.users.create(accountId, ada(`beside-${end}`))
    await new Promise((resolve) => setTimeout(resolve, 50))
    database.exec(end)
    await beside
  }
  const { data } = await clientele.users.list(accountId)
  const expected = ['own-commit', 'beside-commit', 'beside-rollback'].map(
    (name) => `${name}@example.com`,
  )
  expect(data.map(({ email }) => email).sort()).toEqual([...expected].sort())
  await vi.waitFor(() => expect([...told].sort()).toEqual([...expected].sort()))
  await clientele.close()
  database.close()
})

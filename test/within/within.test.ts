import { type Clientele, createClientele } from '@clientele/core'
import { sqlite } from '@clientele/core/sqlite'
import Sqlite from 'better-sqlite3'
import { Pool } from 'pg'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { codeOf, LogRecorder, openClientele } from '../keys/open-clientele.ts'
import { databases, type OpenDatabase } from '../support/databases.ts'
import { connectHost, type HostConnection } from './host-world.ts'

const secrets = ['a secret of the tests, 32 characters']
const password = 'correct horse battery'
const ada = (name: string) => ({ name: 'Ada Lovelace', email: `${name}@example.com`, password })

describe.each(databases)("in a host's transaction on $name", ({ name, open }) => {
  let database: OpenDatabase
  let clientele: Clientele
  let host: HostConnection
  let accountId: string
  /** What listeners have heard, by the part of the address that a test has for itself */
  const told = new Map<string, string[]>()

  beforeAll(async () => {
    database = await open()
    clientele = await openClientele(database.url, { secrets })
    accountId = (await clientele.accounts.create({ name: 'Acme' })).id
    host = await connectHost(database.url)
    await host.run('create table profiles (user_id text primary key)')
    for (const type of [
      'user.created',
      'user.updated',
      'user.deleted',
      'user.deactivated',
    ] as const)
      clientele.events.on(type, ({ user: { email } }) => {
        const [topic = ''] = email.split(/[-@]/)
        told.set(topic, [...(told.get(topic) ?? []), `${type} ${email}`])
      })
  })
  afterAll(async () => {
    await host.end()
    await clientele.close()
    await database.close()
  })

  const readFeed = async () => (await clientele.events.read(accountId, { limit: 1000 })).data
  const emails = async (q: string) =>
    (await clientele.users.list(accountId, { q })).data.map(({ email }) => email)

  async function addBoth(email: string): Promise<string> {
    const { user } = await clientele.within(host.handle).users.create(accountId, ada(email))
    await host.run(`insert into profiles values ('${user.id}')`)
    return user.id
  }

  test('user, event and row are there after the commit, and listeners hear of it then', async () => {
    await host.begin()
    const id = await addBoth('together')
    expect(await emails('together')).toEqual([])
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(told.get('together')).toBeUndefined()
    await host.run('commit')
    expect(await emails('together')).toEqual(['together@example.com'])
    expect(await host.run('select user_id from profiles')).toEqual([{ user_id: id }])
    expect((await readFeed()).at(-1)).toMatchObject({ type: 'user.created', subject: { id } })
    await vi.waitFor(() =>
      expect(told.get('together')).toEqual(['user.created together@example.com']),
    )
    expect((await clientele.users.list(accountId)).total).toBe(1)
  })

  test('a rollback leaves nothing of either, and nobody hears of it', async () => {
    const before = await readFeed()
    await host.begin()
    const id = await addBoth('undone')
    await host.run('rollback')
    expect(await emails('undone')).toEqual([])
    expect(await host.run(`select user_id from profiles where user_id = '${id}'`)).toEqual([])
    expect(await readFeed()).toEqual(before)
    expect((await clientele.users.list(accountId)).total).toBe(1)
    await host.begin()
    await addBoth('next')
    await host.run('commit')
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
    await host.run('commit')
    expect((await clientele.users.find(accountId, user.id)).user.name).toBe('Ada King')
    await vi.waitFor(() =>
      expect(told.get('seen')).toEqual([
        'user.created seen@example.com',
        'user.updated seen@example.com',
        'user.deactivated seen@example.com',
      ]),
    )
  })

  test('an account, its key and its first user, with all of it or nothing', async () => {
    await host.begin()
    const { accounts, apiKeys, users } = clientele.within(host.handle)
    const account = await accounts.create({ name: 'Globex' })
    const { apiKey } = await apiKeys.create(account.id)
    const { user } = await users.create(account.id, ada('first'))
    const identity = { issuer: 'https://login.example.com', subject: 'first' }
    await clientele.within(host.handle).identities.link(account.id, user.id, identity)
    expect(await codeOf(clientele.accounts.find(account.id))).toBe('account_not_found')
    await host.run('commit')
    expect((await clientele.apiKeys.authenticate(apiKey)).accountId).toBe(account.id)
    expect((await clientele.users.list(account.id)).total).toBe(1)
    expect(await clientele.identities.list(account.id, user.id)).toMatchObject([identity])
  })

  test('calls at once on one handle take turns', async () => {
    await host.begin()
    const { users } = clientele.within(host.handle)
    const outcomes = await Promise.allSettled(
      ['one', 'two', 'one', 'three'].map((email) => users.create(accountId, ada(`turn-${email}`))),
    )
    expect(outcomes.map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'rejected',
      'fulfilled',
    ])
    await host.run('commit')
    expect(await emails('turn')).toHaveLength(3)
    await vi.waitFor(() =>
      expect(told.get('turn')).toEqual(
        ['one', 'two', 'three'].map((email) => `user.created turn-${email}@example.com`),
      ),
    )
  })

  test('two transactions at once end each for itself', async () => {
    const other = await connectHost(database.url)
    await host.begin()
    await clientele.within(host.handle).users.create(accountId, ada('left'))
    // SQLite has one writer at a time.
    if (name === 'sqlite') await host.run('rollback')
    await other.begin()
    await clientele.within(other.handle).users.create(accountId, ada('right'))
    await other.run('commit')
    if (name === 'postgres') await host.run('rollback')
    expect(await emails('left')).toEqual([])
    expect(await emails('right')).toEqual(['right@example.com'])
    await vi.waitFor(() => expect(told.get('right')).toEqual(['user.created right@example.com']))
    expect(told.get('left')).toBeUndefined()
    await other.end()
  })

  test('without a transaction, and after its end, the error says so', async () => {
    const { users } = clientele.within(host.handle)
    expect(await codeOf(users.create(accountId, ada('none')))).toBe('transaction_required')
    expect(await codeOf(users.list(accountId))).toBe('transaction_required')
    await host.begin()
    await host.run('rollback')
    expect(await codeOf(users.create(accountId, ada('none')))).toBe('transaction_required')
    expect(await emails('none')).toEqual([])
  })

  test('what is no handle, and a handle of another database, are refused by name', async () => {
    for (const handle of [null, undefined, 'client', {}, () => {}])
      expect(() => clientele.within(handle as never)).toThrow(/within\(\) takes/)
    const foreign = await open()
    const stranger = await openClientele(foreign.url, { secrets })
    const theirs = await connectHost(foreign.url)
    await theirs.begin()
    // The same handle, where it belongs.
    await stranger.within(theirs.handle).accounts.create({ name: 'Theirs' })
    const call = async () => clientele.within(theirs.handle).users.create(accountId, ada('foreign'))
    expect(await codeOf(call())).toBe('transaction_foreign')
    // The failure has left it usable.
    await theirs.run('commit')
    await theirs.end()
    await stranger.close()
    await foreign.close()
  })

  test('a process that is gone before the commit leaves nothing', async () => {
    const other = await connectHost(database.url)
    await other.begin()
    await clientele.within(other.handle).users.create(accountId, ada('gone'))
    await other.end()
    expect(await emails('gone')).toEqual([])
    expect((await readFeed()).map(({ data }) => JSON.stringify(data)).join()).not.toContain('gone@')
    expect(told.get('gone')).toBeUndefined()
  })

  test('others go on while a transaction is open', async () => {
    await host.begin()
    await clientele.within(host.handle).users.find(accountId, await firstUser())
    const { user } = await clientele.users.create(accountId, ada('beside'))
    await clientele.users.patch(accountId, user.id, { name: 'Ada King' })
    await host.run('rollback')
    expect(await emails('beside')).toEqual(['beside@example.com'])
  })

  async function firstUser(): Promise<string> {
    const { data } = await clientele.users.list(accountId, { limit: 1 })
    return data[0]?.id ?? ''
  }

  test.runIf(name === 'postgres')('a transaction that has failed says so', async () => {
    await host.begin()
    await host.run('select 1 / 0').catch(() => {})
    const { users } = clientele.within(host.handle)
    expect(await codeOf(users.create(accountId, ada('failed')))).toBe('transaction_failed')
    await host.run('rollback')
  })

  test.runIf(name === 'postgres')('a pool is refused, a client of it is taken', async () => {
    const pool = new Pool({ connectionString: database.url, max: 4 })
    pool.on('error', () => {})
    expect(() => clientele.within(pool)).toThrow(/was given a pool/)
    await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        const client = await pool.connect()
        await client.query('begin')
        await clientele.within(client).users.create(accountId, ada(`pooled-${index}`))
        await client.query(index % 2 === 0 ? 'commit' : 'rollback')
        client.release()
      }),
    )
    expect(await emails('pooled')).toHaveLength(10)
    await vi.waitFor(() => expect(told.get('pooled')).toHaveLength(10))
    await pool.end()
  })
})

test('on the connection of Clientele itself, what others write waits for the end', async () => {
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

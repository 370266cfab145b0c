import { setTimeout as sleep } from 'node:timers/promises'
import { type Clientele, createClientele, type Repository } from '@clientele/core'
import { kysely } from '@clientele/core/kysely'
import { type PostgresTimeLimits, postgres } from '@clientele/core/postgres'
import { Client, Pool } from 'pg'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import {
  accountOfSecret,
  hashAccountSecret,
} from '../../packages/core/src/base/crypto/account-secret.ts'
import { createConnectionLimits } from '../../packages/core/src/sql/connection-limits.ts'
import { codeOf, openClientele, send } from '../keys/open-clientele.ts'
import { type OpenDatabase, openDatabase } from '../support/databases.ts'
import { openPgKysely } from '../support/kysely-dialects.ts'
import { logIn } from '../support/log-in.ts'
import { runSql } from '../support/run-sql.ts'

const secret = 'a secret for tests that is long enough'
/** More than a pool has connections */
const atOnce = 30

const pools: {
  name: string
  open(url: string): { repository: Repository; end(): Promise<unknown> }
}[] = [
  {
    name: 'our own pool',
    open: (url) => ({
      repository: postgres({ connectionString: url }),
      end: () => Promise.resolve(),
    }),
  },
  {
    name: "a host's pool",
    open: (url) => {
      const pool = new Pool({ connectionString: url, max: 4 })
      return { repository: postgres({ pool }), end: () => pool.end() }
    },
  },
  {
    name: "a host's Kysely",
    open: (url) => {
      const db = openPgKysely(url)
      return { repository: kysely(db, { dialect: 'postgres' }), end: () => db.destroy() }
    },
  },
]

test('accounts that write take half of the connections that are free', () => {
  const limits = createConnectionLimits(10).writes
  const ends = ['a', 'b', 'c'].map((key) => {
    const begun: (() => void)[] = []
    for (let end = limits.begin(key); end !== undefined; end = limits.begin(key)) begun.push(end)
    return begun
  })
  expect(ends.map(({ length }) => length)).toEqual([5, 2, 1])
  const places = ['b', 'a', 'd', 'e', 'f'].map((key) => limits.begin(key) !== undefined)
  expect(places).toEqual([false, false, true, false, false])
  for (const end of ends.flat()) end()
})

/** Statements of one account that wait in the database, as writes do for each other. */
describe.each(pools)('the connections of $name', ({ open }) => {
  let database: OpenDatabase
  let repository: Repository
  let clientele: Clientele
  let end: () => Promise<unknown>
  let locker: Client
  beforeAll(async () => {
    database = await openDatabase('postgres')
    const opened = open(database.url)
    repository = opened.repository
    end = opened.end
    clientele = await createClientele({ repository, secrets: [secret] })
    locker = new Client({ connectionString: database.url })
    await locker.connect()
  })
  afterAll(async () => {
    await locker.end()
    await clientele.close()
    await end()
    await database.close()
  })

  async function addUser(name: string) {
    const { id: accountId } = await clientele.accounts.create({ name })
    const input = { name: 'Ada', email: 'ada@example.com', password: 'password' }
    const { user } = await clientele.users.create(accountId, input)
    return { accountId, userId: user.id }
  }

  test('are left to other accounts while writes of one wait for a locked row', async () => {
    const busy = await addUser('Busy')
    const other = await addUser('Other')
    await locker.query('begin')
    await locker.query('select id from clientele_users where id = $1 for update', [busy.userId])
    let ended = 0
    const change = async (index: number) => {
      // A single statement, and a transaction
      const change = index % 2 === 0 ? { name: `Ada ${index}` } : { isActive: false }
      await clientele.users.patch(busy.accountId, busy.userId, change)
      ended++
    }
    const waiting = Promise.all(Array.from({ length: atOnce }, (_, index) => change(index)))
    await expect.poll(() => countWaiting(database.url)).toBeGreaterThan(0)

    const { user } = await clientele.users.patch(other.accountId, other.userId, { name: 'Bob' })
    await clientele.users.deactivate(other.accountId, other.userId)
    const { total } = await clientele.users.list(other.accountId)
    expect({ name: user.name, total, ended }).toEqual({ name: 'Bob', total: 1, ended: 0 })

    await locker.query('commit')
    await waiting
    expect(ended).toBe(atOnce)
  })

  test('are left to other accounts while reads of one wait', async () => {
    const busy = await addUser('Reader')
    const other = await addUser('Another')
    await locker.query('begin')
    await locker.query('lock table clientele_identities in access exclusive mode')
    let ended = 0
    const read = async () => {
      await clientele.identities.list(busy.accountId, busy.userId)
      ended++
    }
    const waiting = Promise.all(Array.from({ length: atOnce }, read))
    await expect.poll(() => countWaiting(database.url)).toBeGreaterThan(0)

    const { total } = await clientele.users.list(other.accountId)
    await clientele.users.patch(other.accountId, other.userId, { name: 'Bob' })
    expect({ total, ended }).toEqual({ total: 1, ended: 0 })

    await locker.query('commit')
    await waiting
    expect(ended).toBe(atOnce)
  })

  test('are not used by writes of a key that is revoked while others of its account wait', async () => {
    const elsewhere = await openClientele(database.url)
    onTestFinished(() => elsewhere.close())
    const { id: accountId } = await clientele.accounts.create({ name: 'Busy' })
    const { apiKey: key, id: keyId } = await clientele.apiKeys.create(accountId)
    const input = { name: 'Ada', email: 'ada@example.com', password: 'password' }
    const { user } = await clientele.users.create(accountId, input)
    await locker.query('begin')
    await locker.query('select id from clientele_users where id = $1 for update', [user.id])
    const writes = Array.from({ length: 80 }, async () => {
      return (await send(clientele, 'DELETE', `/client/user/${user.id}/session`, { key })).status
    })
    await sleep(200)
    await elsewhere.apiKeys.revoke(accountId, keyId)
    // As long as a caller stays authenticated
    await sleep(1_100)
    await locker.query('commit')
    const statuses = await Promise.all(writes)
    expect(new Set(statuses)).toEqual(new Set([204, 401]))
    // Some have a connection, or wait for one.
    expect(statuses.filter((status) => status === 204).length).toBeLessThan(40)
  })

  test('are left to others while sign-ins of one account to the console wait for each other', async () => {
    const other = await addUser('Third')
    const later = Date.now() + 60_000
    const most = 20
    const { accountId } = await addUser('Console')
    const signIn = (name: string, limit?: { accountId: string; most: number }) =>
      repository.console.addSession({ holder: 'key', hash: name }, later, limit)
    for (let index = 0; index < most + 5; index++) await signIn(`old ${index}`)
    await locker.query('begin')
    await locker.query('select hash from clientele_console_sessions for update')
    const waiting = Promise.all(
      Array.from({ length: atOnce }, (_, index) => signIn(`${index}`, { accountId, most })),
    )
    await expect.poll(() => countWaiting(database.url)).toBe(1)

    const { user } = await clientele.users.patch(other.accountId, other.userId, { name: 'Bob' })
    expect([user.name, await countWaiting(database.url)]).toEqual(['Bob', 1])

    await locker.query('commit')
    await waiting
    const left = await runSql(database.url, 'select hash from clientele_console_sessions')
    expect(left).toHaveLength(most)
  })
})

/** A Clientele on PostgreSQL until the test has finished, and a connection beside it that locks rows. */
async function openWithLocker(timeLimits: PostgresTimeLimits = {}) {
  const database = await openDatabase('postgres')
  const repository = postgres({ connectionString: database.url, timeLimits })
  const clientele = await createClientele({ repository, secrets: [secret] })
  const locker = new Client({ connectionString: database.url })
  await locker.connect()
  onTestFinished(async () => {
    await locker.end()
    await clientele.close()
    await database.close()
  })
  return { database, repository, clientele, locker }
}

test('a write that waits too long behind others of its account is refused as overload', async () => {
  const { database, clientele, locker } = await openWithLocker({ connectionSeconds: 1 })
  const { id: accountId } = await clientele.accounts.create({ name: 'Busy' })
  const input = { name: 'Ada', email: 'ada@example.com', password: 'password' }
  const { user } = await clientele.users.create(accountId, input)
  await locker.query('begin')
  await locker.query('select id from clientele_users where id = $1 for update', [user.id])
  const changes = Array.from({ length: atOnce }, (_, index) =>
    codeOf(clientele.users.patch(accountId, user.id, { name: `Ada ${index}` })),
  )
  // The database answers meanwhile.
  await expect.poll(() => countWaiting(database.url)).toBeGreaterThan(0)
  await clientele.users.list(accountId)
  expect(await Promise.race(changes)).toBe('overloaded')
  await locker.query('commit')
  expect(new Set(await Promise.all(changes))).toEqual(new Set(['overloaded', undefined]))
})

test("signing keys that are looked up behind an account's own reads delay no other account", async () => {
  const { database, clientele, locker } = await openWithLocker()
  const elsewhere = await openClientele(database.url)
  onTestFinished(() => elsewhere.close())
  const add = async (name: string) => {
    const { id: accountId } = await clientele.accounts.create({ name })
    const credentials = { email: 'ada@example.com', password: 'password' }
    const { user } = await clientele.users.create(accountId, { name: 'Ada', ...credentials })
    const { token } = await logIn(elsewhere, accountId, credentials)
    return { accountId, userId: user.id, token }
  }
  const busy = await add('Busy')
  const other = await add('Other')
  await locker.query('begin')
  await locker.query('lock table clientele_identities in access exclusive mode')
  const reads = Array.from({ length: atOnce }, () =>
    clientele.identities.list(busy.accountId, busy.userId),
  )
  await expect.poll(() => countWaiting(database.url)).toBeGreaterThan(0)
  let answered = 0
  const unknown = Array.from({ length: atOnce }, async (_, index) => {
    const header = Buffer.from(JSON.stringify({ alg: 'EdDSA', kid: `made up ${index}` }))
    const token = `${header.toString('base64url')}${busy.token.slice(busy.token.indexOf('.'))}`
    const code = await codeOf(clientele.auth.validateToken(busy.accountId, token))
    answered++
    return code
  })
  await clientele.auth.validateToken(other.accountId, other.token)
  expect(answered).toBe(0)
  await locker.query('commit')
  await Promise.all(reads)
  expect(new Set(await Promise.all(unknown))).toEqual(new Set(['token_unknown_key']))
})

/** The keys of all accounts are looked up before it is known whose requests they are. */
test('look-ups of keys of many accounts share statements, or have a connection for each account', async () => {
  const { database, repository, clientele, locker } = await openWithLocker()
  const addKey = async (_: unknown, index: number) => {
    const { id: accountId } = await clientele.accounts.create({ name: `Holder ${index}` })
    return { accountId, key: (await clientele.apiKeys.create(accountId)).apiKey }
  }
  const held = await Promise.all(Array.from({ length: 8 }, addKey))
  const lookUp = ({ accountId, key }: (typeof held)[number], hasSubject: boolean) => {
    const subject = hasSubject ? { userId: accountId, sessionId: null } : undefined
    const toAccountId = () => accountOfSecret(key)
    return repository.apiKeys.findByHash(hashAccountSecret(key), Date.now(), subject, toAccountId)
  }
  const lookUpAll = async (hasSubject: boolean) => {
    const found = await Promise.all(held.map((holder) => lookUp(holder, hasSubject)))
    return found.map((match) => match?.accountId)
  }
  const accountIds = held.map(({ accountId }) => accountId)
  // Now the keys are known.
  expect(await lookUpAll(false)).toEqual(accountIds)

  for (const [hasSubject, statements] of [
    [false, 1],
    [true, held.length],
  ] as const) {
    await locker.query('begin')
    await locker.query('lock table clientele_api_keys in access exclusive mode')
    const found = lookUpAll(hasSubject)
    await expect.poll(() => countWaiting(database.url)).toBe(statements)
    await locker.query('commit')
    expect(await found).toEqual(accountIds)
  }
})

/** How many statements wait for a row. Over a connection of its own: a transaction sees one state of the activity. */
async function countWaiting(url: string): Promise<number> {
  const rows = await runSql(
    url,
    `select 1 from pg_stat_activity
     where datname = current_database() and wait_event_type = 'Lock'`,
  )
  return rows.length
}

import { type Clientele, createClientele, type Logger } from '@clientele/core'
import { openRepository } from '@clientele/core/database-url'
import { postgres } from '@clientele/core/postgres'
import { Client, Pool } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Answer, ask } from '../support/ask.ts'
import { type OpenDatabase, openDatabase } from '../support/databases.ts'
import { openPgBouncer, pgbouncerPath } from '../support/pgbouncer.ts'
import { runSql } from '../support/run-sql.ts'
import { TransactionPooler } from '../support/transaction-pooler.ts'

const quiet: Logger = { info: () => {}, warn: () => {}, error: () => {} }
const secrets = ['a secret of at least thirty-two characters']
const hashing = { memoryKiB: 64, passes: 1 }

if (pgbouncerPath === undefined) {
  console.warn('PgBouncer is not installed: the tests run against a pooler of their own alone.')
}

async function openOwnPooler(url: string) {
  const pooler = new TransactionPooler(url)
  return { url: await pooler.open(), close: () => pooler.close() }
}

const poolers = [
  { name: 'a pooler of the test', openPooler: openOwnPooler },
  ...(pgbouncerPath === undefined ? [] : [{ name: 'PgBouncer', openPooler: openPgBouncer }]),
]

async function start(url: string, parameters: string): Promise<Clientele> {
  return createClientele({
    repository: await openRepository(`${url}${parameters}`),
    secrets,
    logger: quiet,
    passwords: { hashing },
  })
}

/** What callers do, many at a time, so that their statements meet on the few connections behind the pooler. */
async function live(clientele: Clientele): Promise<Answer[]> {
  const account = await clientele.accounts.create({ name: 'Acme' })
  const { apiKey } = await clientele.apiKeys.create(account.id)
  const call = (method: string, url: string, body?: object) =>
    ask(clientele, apiKey, method, url, body)
  const lives = Array.from({ length: 12 }, async (_, index) => {
    const credentials = { email: `user${index}@example.com`, password: 'correct horse' }
    const created = await call('POST', '/client/user', { name: 'Ada', ...credentials })
    const user = `/client/user/${created.body.id}`
    const login = await call('POST', '/client/user/auth/login', credentials)
    const { token } = (login.body.data ?? {}) as { token?: string } // as the contract has it
    const rest = await Promise.all([
      call('POST', '/client/user/auth/validation-token', { token: `Bearer ${token}` }),
      call('GET', '/client/user?page=1&limit=5'),
      call('PATCH', user, { name: 'Grace' }),
      call('GET', user),
    ])
    return [created, login, ...rest, await call('POST', `${user}/deactivate`)]
  })
  return (await Promise.all(lives)).flat()
}

describe.each(poolers)('$name in transaction mode', ({ openPooler }) => {
  let database: OpenDatabase
  let pooler: { url: string; close(): Promise<void> }
  beforeAll(async () => {
    database = await openDatabase('postgres')
    pooler = await openPooler(database.url)
  })
  afterAll(async () => {
    await pooler.close()
    await database.close()
  })

  test('refuses session parameters, as these tests assume', async () => {
    const client = new Client({ connectionString: pooler.url, statement_timeout: 1000 })
    await expect(client.connect()).rejects.toThrow('unsupported startup parameter')
  })

  test.each([
    ['?prepared_statements=false', 'as it is meant'],
    ['', 'though nobody said that there is a pooler'],
    ['?prepared_statements=true', 'though somebody said that there is none'],
  ])('DATABASE_URL with %j serves, %s', async (parameters) => {
    // Several processes: each knows only its own prepared statements.
    const all = await Promise.all([1, 2, 3].map(() => start(pooler.url, parameters)))
    const answers = (await Promise.all(all.map(live))).flat()
    const statuses = answers.map(({ status }) => status)
    expect(statuses.filter((status) => status >= 300)).toEqual([])
    expect(statuses).toHaveLength(3 * 12 * 7)
    await Promise.all(all.map((clientele) => clientele.close()))
  })

  test('a write that waits too long for a lock is cancelled on the server, too', async () => {
    const clientele = await start(pooler.url, '?prepared_statements=false&lock_timeout=300')
    const account = await clientele.accounts.create({ name: 'Acme' })
    const input = { name: 'Ada', email: 'ada@example.com', password: 'correct horse' }
    const { user } = await clientele.users.create(account.id, input)
    const holder = new Client({ connectionString: database.url })
    await holder.connect()
    await holder.query('begin; select id from clientele_users for update')
    await expect(clientele.users.deactivate(account.id, user.id)).rejects.toMatchObject({
      code: 'storage_unavailable',
    })
    await holder.query('rollback')
    await holder.end()
    const { version } = await clientele.users.find(account.id, user.id)
    expect(version).toBe(1)
    await clientele.close()
  })

  test('no setting of ours stays on a connection for others', async () => {
    const client = new Client({ connectionString: pooler.url })
    await client.connect()
    for (let round = 0; round < 4; round++) {
      const { rows } = await client.query(
        "select current_setting('statement_timeout') as s, current_setting('lock_timeout') as l",
      )
      expect(rows).toEqual([{ s: '0', l: '0' }])
    }
    await client.end()
  })
})

describe.runIf(pgbouncerPath !== undefined)(
  'faults behind PgBouncer that only a setting can resolve',
  () => {
    test.each([
      ['a wrong password', { password: 'hunter2' }, 'refuses the password'],
      ['no such database', { pathname: '/nowhere' }, 'There is no such database'],
      [
        'a parameter',
        { search: '?options=-csearch_path=ours' },
        'does not take one of the parameters',
      ],
    ])('%s is explained at the start', async (_name, change, sentence) => {
      const database = await openDatabase('postgres')
      const pooler = await openPgBouncer(database.url)
      const fault: unknown = await start(Object.assign(new URL(pooler.url), change).href, '').catch(
        (error: unknown) => error,
      )
      expect(fault).toMatchObject({
        code: 'configuration_invalid',
        message: expect.stringContaining(sentence),
      })
      await pooler.close()
      await database.close()
    })
  },
)

test('behind a pooler a token is validated in one round trip', async () => {
  const database = await openDatabase('postgres')
  const pooler = new TransactionPooler(database.url)
  const clientele = await start(await pooler.open(), '?prepared_statements=false')
  const account = await clientele.accounts.create({ name: 'Acme' })
  const { apiKey } = await clientele.apiKeys.create(account.id)
  const credentials = { email: 'ada@example.com', password: 'correct horse' }
  await clientele.users.create(account.id, { name: 'Ada', ...credentials })
  const login = await ask(clientele, apiKey, 'POST', '/client/user/auth/login', credentials)
  const { token } = login.body.data as { token: string } // as the contract has it
  const validate = () =>
    ask(clientele, apiKey, 'POST', '/client/user/auth/validation-token', {
      token: `Bearer ${token}`,
    })
  await validate()
  // The first use of a key is noted beside the request.
  await expect
    .poll(async () => (await clientele.apiKeys.list(account.id))[0]?.lastUsedAt)
    .toEqual(expect.any(Date))
  const before = pooler.roundTrips
  for (let round = 0; round < 10; round++) expect((await validate()).status).toBe(200)
  expect(pooler.roundTrips - before).toBe(10)
  await clientele.close()
  await pooler.close()
  await database.close()
})

describe('prepared statements on one connection', () => {
  let database: OpenDatabase
  let pool: Pool
  let clientele: Clientele
  let list: () => Promise<Answer>
  beforeAll(async () => {
    database = await openDatabase('postgres')
    pool = new Pool({ connectionString: database.url, max: 1 })
    clientele = await createClientele({ repository: postgres({ pool }), secrets, logger: quiet })
    const account = await clientele.accounts.create({ name: 'Acme' })
    const { apiKey } = await clientele.apiKeys.create(account.id)
    await clientele.users.create(account.id, {
      name: 'Ada',
      email: 'ada@example.com',
      password: 'correct horse',
    })
    list = () => ask(clientele, apiKey, 'GET', '/client/user?sort=name')
  })
  afterAll(async () => {
    await clientele.close()
    await pool.end()
    await database.close()
  })

  test('are sent again when their plan is outdated', async () => {
    expect((await list()).status).toBe(200)
    // What a migration of a newer version may do while this one serves.
    await runSql(database.url, 'alter table clientele_users alter column name type varchar(200)')
    expect((await list()).status).toBe(200)
  })

  test('are sent again when the server has forgotten them', async () => {
    for (let round = 0; round < 5; round++) {
      expect((await list()).status).toBe(200)
      await pool.query('deallocate all')
      expect((await list()).status).toBe(200)
    }
  })
})

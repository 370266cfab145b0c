import { type Clientele, createClientele, type Logger } from '@clientele/core'
import { openRepository } from '@clientele/core/database-url'
import { postgres } from '@clientele/core/postgres'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { PostgresPair } from '../faults/postgres-pair.ts'
import { runSql } from '../support/run-sql.ts'

const quiet: Logger = { info: () => {}, warn: () => {}, error: () => {} }
const secrets = ['a secret of at least thirty-two characters']
const password = 'correct horse'
const opened: Clientele[] = []
let pair: PostgresPair
/** Another process, which has no replica */
let writer: Clientele
let warnings: string[] = []
const noteWarning = ({ message }: Error) => {
  if (/replica/.test(message)) warnings.push(message)
}

beforeAll(async () => {
  pair = await PostgresPair.open()
  writer = await open(postgres({ connectionString: pair.urlOf(0) }))
  process.on('warning', noteWarning)
})
beforeEach(() => {
  warnings = []
})
afterEach(async () => {
  for (const clientele of opened.splice(1)) await clientele.close()
})
afterAll(async () => {
  process.off('warning', noteWarning)
  await writer?.close()
  await pair.close()
})

async function open(repository: ReturnType<typeof postgres>): Promise<Clientele> {
  const clientele = await createClientele({ repository, secrets, logger: quiet })
  opened.push(clientele)
  return clientele
}

const openReader = async (replica = pair.urlOf(1)) =>
  open(postgres({ connectionString: pair.urlOf(0), replicaConnectionString: replica }))

let count = 0
async function addUser(accountId: string): Promise<string> {
  const input = { name: 'Ada', email: `ada${++count}@example.com`, password }
  return (await writer.users.create(accountId, input)).user.id
}

/** Whether each kind of read has the user. */
async function canSee(reader: Clientele, accountId: string, userId: string): Promise<boolean[]> {
  const { data } = await reader.users.list(accountId, { limit: 100, page: 1 })
  const searched = await reader.users.list(accountId, { q: 'ada', limit: 100, page: 1 })
  const { data: events } = await reader.events.read(accountId, { limit: 100 })
  const exported: string[] = []
  for await (const user of reader.users.export(accountId)) exported.push(user.id)
  return [
    data.some(({ id }) => id === userId),
    searched.data.some(({ id }) => id === userId),
    events.some(({ subject }) => subject.id === userId),
    exported.includes(userId),
  ]
}

/** The last statements of Clientele's connections to a server that concern these tables */
async function statementsOn(index: 0 | 1): Promise<string[]> {
  const rows = await runSql(
    pair.urlOf(index),
    "select query from pg_stat_activity where application_name = 'clientele'",
  )
  return rows.map((row) => (row as { query: string }).query) // the column above
}

const sees = [true, true, true, true]

test('each read sees what another process has just written, and the replica answers', async () => {
  const reader = await openReader()
  const accountId = (await writer.accounts.create({ name: 'Acme' })).id
  for (let turn = 0; turn < 10; turn++)
    expect(await canSee(reader, accountId, await addUser(accountId))).toEqual(sees)
  expect(await statementsOn(1)).toContainEqual(expect.stringContaining('"clientele_users"'))
  expect(warnings).toEqual([])
})

test('statements that are not prepared are checked in a transaction', async () => {
  const urlOf = (index: 0 | 1) => `${pair.urlOf(index)}?prepared_statements=false`
  const reader = await open(
    postgres({ connectionString: urlOf(0), replicaConnectionString: urlOf(1) }),
  )
  const accountId = (await writer.accounts.create({ name: 'Acme' })).id
  expect(await canSee(reader, accountId, await addUser(accountId))).toEqual(sees)
  expect(await statementsOn(1)).toContainEqual('commit')
  expect(warnings).toEqual([])
})

test('the primary answers where the replica is behind', async () => {
  const reader = await openReader()
  const accountId = (await writer.accounts.create({ name: 'Acme' })).id
  await runSql(pair.urlOf(1), 'select pg_wal_replay_pause()')
  try {
    const userId = await addUser(accountId)
    expect(await canSee(reader, accountId, userId)).toEqual(sees)
    const rows = await runSql(
      pair.urlOf(1),
      `select id from clientele_users where id = '${userId}'`,
    )
    expect(rows).toEqual([])
    expect(warnings).toEqual([])
    const read = () => reader.users.list(accountId, { limit: 1, page: 1 }).then(() => warnings)
    await expect
      .poll(read, { timeout: 10_000, interval: 200 })
      .toEqual([
        'The read replica does not follow the primary closely enough, and the primary answers.',
      ])
  } finally {
    await runSql(pair.urlOf(1), 'select pg_wal_replay_resume()')
  }
})

test.each([
  ['the primary itself', () => pair.urlOf(0)],
  ['another database of the replica', () => pair.urlOf(1).replace(/postgres$/, 'template1')],
])('%s is not used as a replica, and a warning says so', async (_, replica) => {
  const reader = await openReader(replica())
  const accountId = (await writer.accounts.create({ name: 'Acme' })).id
  expect(await canSee(reader, accountId, await addUser(accountId))).toEqual(sees)
  expect(warnings).toEqual([
    'The read replica is not used: it is no replica of the primary, or its URL names another database or schema.',
  ])
})

test('a replica that is not in the schema of the primary is refused', () => {
  const open = () => openReader(`${pair.urlOf(1)}?schema=other`)
  return expect(open()).rejects.toMatchObject({
    code: 'configuration_invalid',
    message: /options\.replicaConnectionString is not valid: its schema/,
  })
})

test('SQLite has no replicas', async () => {
  const open = () => openRepository('sqlite::memory:', { replicaUrl: pair.urlOf(1) })
  await expect(open()).rejects.toMatchObject({ message: 'DATABASE_REPLICA_URL needs PostgreSQL.' })
})

// They end the standby, so they are the last ones.
test('a replica that becomes a primary is not used', async () => {
  const reader = await openReader()
  const accountId = (await writer.accounts.create({ name: 'Acme' })).id
  const userId = await addUser(accountId)
  expect(await canSee(reader, accountId, userId)).toEqual(sees)
  await runSql(pair.urlOf(1), 'select pg_promote()')
  await runSql(pair.urlOf(1), 'delete from clientele_users')
  const read = async () => {
    expect(await canSee(reader, accountId, userId)).toEqual(sees)
    return warnings
  }
  await expect
    .poll(read, { timeout: 20_000, interval: 200 })
    .toEqual([
      'The read replica does not follow the primary closely enough, and the primary answers.',
      'The read replica is not used: it is no replica of the primary, or its URL names another database or schema.',
    ])
})

test('the primary answers while the replica is down, and a warning says so', async () => {
  const reader = await openReader()
  const accountId = (await writer.accounts.create({ name: 'Acme' })).id
  await pair.stop(1)
  expect(await canSee(reader, accountId, await addUser(accountId))).toEqual(sees)
  expect(warnings).toContainEqual(
    expect.stringContaining('The read replica failed, and the primary answers: '),
  )
})

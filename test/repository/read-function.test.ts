import type { Repository } from '@clientele/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type OpenDatabase, openDatabase } from '../support/databases.ts'
import { imitateCitus } from '../support/imitate-citus.ts'
import { runSql } from '../support/run-sql.ts'
import { someEvent } from '../support/some-event.ts'
import { openRecorded, type RecordedRepository } from '../support/statement-recorder.ts'
import { newAccount, newKey, newSession, newUser, start } from './world.ts'

const isCall = ({ sql }: { sql: string }) =>
  sql.startsWith('select "Tenant ""Users"""."clientele_read"(')

describe('an account of a distributed database is read by a function where it is', () => {
  let database: OpenDatabase
  let url: string
  let recorded: RecordedRepository
  let accountId: string
  const key = newKey()
  const user = newUser({ metadata: { b: 1, 10: 'ten', 2: null }, roles: ["o'p", '%1$L \\ "'] })
  const session = newSession(user.id)

  beforeAll(async () => {
    database = await openDatabase('postgres')
    await imitateCitus(database.url)
    // Tables of the same names, where a name without a schema is looked up
    const other = openRecorded(database.url)
    await other.repository.storage.migrate({ distribute: true })
    await other.close()
    url = `${database.url}?schema=${encodeURIComponent('Tenant "Users"')}`
    recorded = openRecorded(url)
    const { repository } = recorded
    await repository.storage.migrate({ distribute: true })
    accountId = await newAccount(repository)
    await repository.users.create(accountId, user, someEvent(accountId))
    await repository.apiKeys.create(accountId, key, someEvent(accountId))
    await repository.sessions.create(accountId, session, user.passwordHash, someEvent(accountId))
  })
  afterAll(async () => {
    await recorded.close()
    await database.close()
  })

  const subject = { userId: user.id, sessionId: session.id }
  const unknown = { userId: session.id, sessionId: null }
  const reads: Record<string, (repository: Repository) => Promise<unknown>> = {
    'an API key': ({ apiKeys }) => apiKeys.findByHash(key.hash, start, undefined, () => accountId),
    'an API key that does not exist': ({ apiKeys }) =>
      apiKeys.findByHash("it's", start, undefined, () => accountId),
    'an API key with the subject of a token': ({ apiKeys }) =>
      apiKeys.findByHash(key.hash, start, subject, () => accountId),
    'an API key with a subject that does not exist': ({ apiKeys }) =>
      apiKeys.findByHash(key.hash, start, unknown, () => accountId),
    'subjects of tokens': ({ users }) => users.findSubjects(accountId, start, [unknown, subject]),
    'a page of users': ({ users }) => users.list(accountId, { page: 1, limit: 10 }),
  }

  test.each(Object.entries(reads))('%s', async (_, read) => {
    // Without the function, which a process learns at its start
    const usual = openRecorded(url)
    const expected = await read(usual.repository)
    expect(usual.take().filter(isCall)).toEqual([])
    await usual.close()

    recorded.take()
    expect(await read(recorded.repository)).toEqual(expected)
    expect(recorded.take().every(isCall)).toBe(true)
    expect(await read(recorded.repository)).toEqual(expected)
    expect(recorded.take().map(isCall)).toEqual([true])
  })

  test('the text of a statement is sent to each connection once', async () => {
    const another = openRecorded(url)
    await another.repository.storage.migrate()
    const textsOfList = async () => {
      another.take()
      await another.repository.users.list(accountId, { page: 1, limit: 10 })
      return another.take().map(({ values }) => values[4])
    }
    expect(await textsOfList()).toEqual([null, expect.stringMatching(/ from \{clientele_users\} /)])
    expect(await textsOfList()).toEqual([null])
    await another.close()
  })

  test('the members of JSON keep their order', async () => {
    const { users } = await recorded.repository.users.list(accountId, { page: 1, limit: 10 })
    expect(users[0]?.user.metadata).toBe(user.metadata)
  })

  test('a server that no longer has the account leaves the read to the statement', async () => {
    const list = () => recorded.repository.users.list(accountId, { page: 1, limit: 10 })
    const expected = await list()
    await runSql(database.url, 'update pg_catalog.pg_dist_placement set groupid = 2')
    recorded.take()
    expect(await list()).toEqual(expected)
    expect(recorded.take().map(isCall)).toEqual([true, true, false])
    await runSql(database.url, 'update pg_catalog.pg_dist_placement set groupid = 1')
    recorded.take()
    expect(await list()).toEqual(expected)
    expect(recorded.take().every(isCall)).toBe(true)
  })

  test('a function that fails leaves the read to the statement', async () => {
    const list = () => recorded.repository.users.list(accountId, { page: 1, limit: 10 })
    const expected = await list()
    await runSql(database.url, 'alter function get_shard_id_for_distribution_column rename to gone')
    recorded.take()
    expect(await list()).toEqual(expected)
    expect(recorded.take().map(isCall)).toEqual([true, false])
  })
})

import type { Repository } from '@clientele/core'
import { openRepository } from '@clientele/core/database-url'
import { postgres } from '@clientele/core/postgres'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { TcpProxy } from '../faults/tcp-proxy.ts'
import { type OpenDatabase, openDatabase } from '../support/databases.ts'
import { imitateCitus } from '../support/imitate-citus.ts'
import { repositoryOf } from '../support/open-repository.ts'
import { runSql } from '../support/run-sql.ts'
import { someEvent } from '../support/some-event.ts'
import { newAccount, newKey, newSession, newUser, start } from './world.ts'

describe('the server of a cluster that has an account reads it itself', () => {
  let database: OpenDatabase
  /** In front of that server */
  let proxy: TcpProxy
  let port: number
  let usual: Repository
  let direct: Repository
  let accountId: string
  let warnings: string[] = []
  const noteWarning = ({ message }: Error) => warnings.push(message)
  const key = newKey()
  const user = newUser({ metadata: { b: 1, 10: 'ten', 2: null }, roles: ["o'p", '%1$L \\ "'] })
  const session = newSession(user.id)

  beforeAll(async () => {
    database = await openDatabase('postgres')
    await imitateCitus(database.url)
    const url = `${database.url}?schema=${encodeURIComponent('Tenant "Users"')}`
    const server = new URL(database.url)
    proxy = new TcpProxy({ host: server.hostname, port: Number(server.port) })
    port = await proxy.accept()
    await runSql(database.url, `update pg_catalog.pg_dist_node set nodeport = ${port}`)
    usual = repositoryOf(url)
    await usual.storage.migrate({ distribute: true })
    accountId = await newAccount(usual)
    await usual.users.create(accountId, user, someEvent(accountId))
    await usual.apiKeys.create(accountId, key, someEvent(accountId))
    await usual.sessions.create(accountId, session, user.passwordHash, someEvent(accountId))
  })
  beforeEach(async () => {
    warnings = []
    process.on('warning', noteWarning)
    const url = `${database.url}?schema=${encodeURIComponent('Tenant "Users"')}`
    direct = postgres({ connectionString: url, directReads: true })
    await direct.storage.migrate()
  })
  afterEach(async () => {
    process.off('warning', noteWarning)
    await direct.storage.close()
  })
  afterAll(async () => {
    await usual.storage.close()
    await proxy.refuse()
    await database.close()
  })

  /** Whether the newest statement was one for the server of the account */
  async function wasDirect(): Promise<boolean> {
    const rows = await runSql(
      database.url,
      `select query like 'select case when exists (%pg_dist_placement%' as "isDirect" from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid() order by state_change desc limit 1`,
    )
    return (rows as [{ isDirect: boolean }])[0].isDirect // what it selects
  }
  const list = () => direct.users.list(accountId, { page: 1, limit: 10 })
  const subject = { userId: user.id, sessionId: session.id }
  const unknown = { userId: session.id, sessionId: null }
  const reads: Record<string, (repository: Repository) => Promise<unknown>> = {
    'an API key': ({ apiKeys }) => apiKeys.findByHash(key.hash, start, undefined, () => accountId),
    'an API key that does not exist': ({ apiKeys }) =>
      apiKeys.findByHash("it's", start, undefined, () => accountId),
    'an API key with the subject of a token': ({ apiKeys }) =>
      apiKeys.findByHash(key.hash, start, subject, () => accountId),
    'subjects of tokens': ({ users }) => users.findSubjects(accountId, start, [unknown, subject]),
    'a page of users': ({ users }) => users.list(accountId, { page: 1, limit: 10 }),
    'a user': ({ users }) => users.find(accountId, user.id),
    credentials: ({ users }) => users.findCredentials(accountId, user.email),
    'a user by e-mail': ({ users }) => users.findSubjectByEmail(accountId, user.email),
    settings: ({ accounts }) => accounts.findSettings(accountId),
    'settings of an account that does not exist': ({ accounts }) => accounts.findSettings(user.id),
  }

  test.each(Object.entries(reads))('%s', async (_, read) => {
    const expected = await read(usual)
    expect(await wasDirect()).toBe(false)
    expect(await read(direct)).toEqual(expected)
    expect(await wasDirect()).toBe(true)
  })

  test('another server is asked by the usual way, until the new place is known', async () => {
    const expected = await list()
    await runSql(database.url, 'update pg_catalog.pg_dist_local_group set groupid = 2')
    expect(await list()).toEqual(expected)
    expect(await wasDirect()).toBe(false)
    await runSql(
      database.url,
      'update pg_catalog.pg_dist_placement set groupid = 2',
      'update pg_catalog.pg_dist_node set groupid = 2',
    )
    await expect
      .poll(
        async () => {
          expect(await list()).toEqual(expected)
          return wasDirect()
        },
        { timeout: 10_000 },
      )
      .toBe(true)
    expect(warnings).toEqual([])
  })

  test('a server that cannot be reached is left alone, with one warning', async () => {
    const expected = await list()
    await proxy.refuse()
    expect(await list()).toEqual(expected)
    expect(await list()).toEqual(expected)
    expect(await wasDirect()).toBe(false)
    expect(warnings).toEqual([expect.stringMatching(/^The server localhost:\d+ of the cluster /)])
    await proxy.accept()
  })

  test('where the coordinator has the account, it is asked at its own address', async () => {
    await runSql(
      database.url,
      'update pg_catalog.pg_dist_local_group set groupid = 0',
      'update pg_catalog.pg_dist_placement set groupid = 0',
      'update pg_catalog.pg_dist_node set groupid = 0, nodeport = 1',
    )
    expect(await list()).toEqual(await usual.users.list(accountId, { page: 1, limit: 10 }))
    expect(await list()).toMatchObject({ total: 1 })
    expect(await wasDirect()).toBe(true)
    expect(warnings).toEqual([])
  })
})

test('tables that are not distributed are read as ever', async () => {
  const database = await openDatabase('postgres')
  const repository = await openRepository(database.url, { directReads: true })
  await repository.storage.migrate()
  const accountId = await newAccount(repository)
  expect(await repository.accounts.find(accountId)).toMatchObject({ id: accountId })
  await repository.storage.close()
  await database.close()
})

test('SQLite has no servers to ask', async () => {
  await expect(openRepository('sqlite::memory:', { directReads: true })).rejects.toMatchObject({
    code: 'configuration_invalid',
    message: 'DATABASE_DIRECT_READS needs PostgreSQL.',
  })
})

import { ClienteleError } from '@clientele/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { httpContract } from '../http/http-contract.ts'
import { time } from '../http/support/answers.ts'
import {
  Clock,
  type Combination,
  createTenant,
  openClientele,
  openMailing,
  openOnSame,
  World,
} from '../http/support/world.ts'
import { bare } from '../http/targets/bare.ts'
import { acrossAccounts, callAcrossAccounts } from '../repository/across-accounts.ts'
import { describeRepositoryContract } from '../repository/repository-contract.ts'
import { undoLaterMigrations } from '../repository/undo-migrations.ts'
import { hour, newKey, newTenant, start } from '../repository/world.ts'
import { repositoryOf } from '../support/open-repository.ts'
import { runSql } from '../support/run-sql.ts'
import { someEvent } from '../support/some-event.ts'
import { openRecorded } from '../support/statement-recorder.ts'
import { eventually, receive, WebhookWorld } from '../webhooks/webhook-world.ts'
import { findFanOuts } from './find-fan-outs.ts'
import {
  citusUrl,
  type DistributedTables,
  moveShards,
  openDistributed,
} from './open-distributed.ts'

if (citusUrl === '') test.skip('a Citus cluster (skipped: CITUS_URL names none)', () => {})
else describe('a Citus cluster', describeCluster)

function describeCluster(): void {
  const seen = new Set<string>()
  const fanOuts = new Map<string, number>()

  /** Tables of their own, and a repository whose statements are explained when it is closed. */
  async function openExplained() {
    const tables = await openDistributed()
    const recorded = openRecorded(tables.url)
    await recorded.repository.storage.migrate()
    recorded.take()
    return {
      tables,
      repository: recorded.repository,
      close: async () => {
        for (const [sql, count] of await findFanOuts(recorded.take(), seen)) fanOuts.set(sql, count)
        await recorded.close()
        await tables.close()
      },
    }
  }

  describe('the contract of the repository', () =>
    describeRepositoryContract(async () => {
      const { tables, repository, close } = await openExplained()
      const another = repositoryOf(tables.url)
      await another.storage.migrate()
      return {
        repository,
        openAnother: () => another,
        close: async () => {
          await another.storage.close()
          await close()
        },
      }
    }))

  test('queries about all accounts find rows', async () => {
    const { repository, close } = await openExplained()
    await callAcrossAccounts(repository)
    await close()
  })

  test('revoked API keys are swept', async () => {
    const { repository, close } = await openExplained()
    const { apiKeys, storage } = repository
    const { accountId, key } = await newTenant(repository)
    const revoked = newKey()
    await apiKeys.create(accountId, revoked, someEvent(accountId))
    await apiKeys.revoke(accountId, revoked.id, start, someEvent(accountId), () =>
      someEvent(accountId),
    )
    const sweep = (now: number) =>
      storage.sweep('00000000-0000-0000-0000-000000000000', { now, eventsBefore: start })
    await sweep(start + 9_000 * hour)
    expect(await apiKeys.list(accountId)).toHaveLength(2)
    await sweep(start + 10_000 * hour)
    expect((await apiKeys.list(accountId)).map(({ id }) => id)).toEqual([key.id])
    await close()
  })

  describe('the tables', () => {
    let tables: DistributedTables
    beforeAll(async () => {
      tables = await openDistributed()
    })
    afterAll(() => tables.close())

    test('are distributed once', async () => {
      const { storage } = repositoryOf(tables.url)
      expect(await storage.migrate({ distribute: true })).toEqual([])
      await storage.close()
    })

    test('are migrated where they are', async () => {
      const { url, schema, migration, close } = await openDistributed()
      const quoted = `"${schema.replaceAll('"', '""')}"`
      const { statements, tenantTables, columns, indexes } = undoLaterMigrations(migration, quoted)
      await runSql(citusUrl, ...statements)
      const { storage } = repositoryOf(url)
      const missing = await storage.missingMigrations()
      expect(missing.length).toBeGreaterThan(2)
      const applied = await storage.migrate()
      expect(applied.slice(0, missing.length)).toEqual(missing)
      const distributed = tenantTables.map((table) => `distribute ${table}`)
      expect(applied.slice(missing.length).sort()).toEqual(distributed.sort())
      const countOnShards = async (table: string, count: string) => {
        const path = `${quoted}.${table}`.replaceAll("'", "''")
        return runSql(
          citusUrl,
          `select distinct result from run_command_on_shards('${path}', $$select count(*) from ${count}$$)`,
        )
      }
      expect(columns.length).toBeGreaterThan(2)
      for (const { table, name } of columns) {
        const count = `pg_attribute where attrelid = '%s'::regclass and attname = '${name}'`
        expect(await countOnShards(table, count)).toEqual([{ result: '1' }])
      }
      expect(indexes.length).toBeGreaterThan(2)
      for (const { table, name } of indexes) {
        const count = `pg_index where indrelid = '%s'::regclass and cast(indexrelid::regclass as text) like '%%${name}%%'`
        expect(await countOnShards(table, count)).toEqual([{ result: '1' }])
      }
      await storage.close()
      await close()
    })

    test('are on several servers, each account on one', async () => {
      const repository = repositoryOf(tables.url)
      await repository.storage.migrate()
      for (let count = 0; count < 20; count++) await newTenant(repository)
      await repository.storage.close()
      const table = `"${tables.schema.replaceAll('"', '""')}".clientele_users`
      const nodes = await runSql(
        citusUrl,
        `select distinct nodeport from citus_shards where table_name = '${table}'::regclass`,
      )
      expect(nodes.length).toBeGreaterThan(1)
    })
  })

  test('the webhooks of several accounts are delivered', async () => {
    const tables = await openDistributed()
    const world = new WebhookWorld(() => tables.url)
    const clientele = await world.deliver()
    const added = []
    for (let count = 0; count < 6; count++) {
      const receiver = await receive()
      const { accountId } = await world.addWebhook(clientele, {
        url: receiver.url,
        types: ['user.created'],
      })
      added.push({ accountId, receiver })
    }
    await Promise.all(added.map(({ accountId }) => world.createUsers(clientele, accountId, 3)))
    for (const { receiver } of added) await eventually(() => receiver.received.length).toBe(3)
    await clientele.close()
    await tables.close()
  })

  test('an account that moves to another server is written to meanwhile, and loses nothing', async () => {
    const tables = await openDistributed()
    const clientele = await openClientele(tables.url)
    const accounts = await Promise.all(
      Array.from({ length: 6 }, (_, index) => clientele.accounts.create({ name: `${index}` })),
    )
    const created: { accountId: string; id: string }[] = []
    const refused = new Set<unknown>()
    let isMoving = true
    const writing = accounts.map(async ({ id: accountId }) => {
      for (let count = 0; isMoving; count++) {
        const input = { name: 'Ada', email: `ada-${count}@example.com`, password: 'password' }
        await clientele.users.create(accountId, input).then(
          ({ user }) => created.push({ accountId, id: user.id }),
          (error: unknown) => refused.add(error instanceof ClienteleError ? error.code : error),
        )
      }
    })
    const moved = await moveShards(tables)
    isMoving = false
    await Promise.all(writing)
    expect(moved).toBeGreaterThan(1)
    expect(created.length).toBeGreaterThan(accounts.length)
    expect([...refused].filter((code) => code !== 'storage_unavailable')).toEqual([])
    for (const { accountId, id } of created)
      expect((await clientele.users.find(accountId, id)).user.id).toBe(id)
    await clientele.close()
    await tables.close()
  }, 120_000)

  describe('the contract of HTTP', () => {
    let opened: Awaited<ReturnType<typeof openExplained>>
    let combination: Combination

    beforeAll(async () => {
      opened = await openExplained()
      const clock = new Clock()
      const clientele = await openClientele('', clock, { repository: opened.repository })
      const server = await bare.start(clientele, 'prefix')
      const openAnother = openOnSame(opened.repository, clock)
      const mailing = await openMailing('', clock, { repository: opened.repository })
      const processes = { clientele, mailing, openAnother }
      combination = { target: bare, mounting: 'prefix', clock, server, ...processes }
    })
    afterAll(async () => {
      await combination.server.close()
      await combination.clientele.close()
      await opened.close()
    }, 60_000)

    test.each(httpContract)('$name', async ({ name, run }) => {
      combination.clock.now = Date.parse(time)
      await run(new World(combination, await createTenant(combination.clientele), name))
    })
  })

  test('a statement goes to one server, but for those of the list', () => {
    expect(seen.size).toBeGreaterThan(200)
    // What is about all accounts asks all servers: otherwise nothing is found here.
    expect(fanOuts.size).toBeGreaterThan(5)
    const listed = acrossAccounts.filter(({ isForOnePlace }) => !isForOnePlace)
    const wrong = [...fanOuts].filter(([sql]) => !listed.some(({ pattern }) => pattern.test(sql)))
    expect(wrong).toEqual([])
  })
}

import type { Clientele } from '@clientele/core'
import { postgres } from '@clientele/core/postgres'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openClientele } from '../http/support/world.ts'
import { codeOf } from '../keys/open-clientele.ts'
import { runSql } from '../support/run-sql.ts'
import {
  addedPort,
  findServers,
  type Load,
  type OwnCluster,
  startLoad,
  startOwnCluster,
} from './chaos-world.ts'
import { citusUrl, type DistributedTables, openDistributed } from './open-distributed.ts'

if (citusUrl === '') test.skip('a Citus cluster (skipped: CITUS_URL names none)', () => {})
else
  describe.each([{ directReads: false }, { directReads: true }])(
    'a Citus cluster whose servers come and go under load (direct reads: $directReads)',
    describeChaos,
    180_000,
  )

function describeChaos({ directReads }: { directReads: boolean }): void {
  let cluster: OwnCluster
  let tables: DistributedTables
  let clientele: Clientele
  let load: Load
  let accountIds: string[]

  beforeAll(async () => {
    cluster = await startOwnCluster()
    tables = await openDistributed(cluster.url)
    const logger = { info: () => {}, warn: () => {}, error: () => {} }
    const repository = postgres({ connectionString: tables.url, directReads })
    clientele = await openClientele('', undefined, { logger, repository })
    const accounts = await Promise.all(
      Array.from({ length: 16 }, (_, index) => clientele.accounts.create({ name: `${index}` })),
    )
    accountIds = accounts.map(({ id }) => id)
    load = startLoad(clientele, accountIds)
    await load.untilCreated(accountIds)
  })
  afterAll(async () => {
    await load.stop()
    await clientele.close()
    await cluster.close()
  })

  const accountsTable = () => `"${tables.schema.replaceAll('"', '""')}".clientele_accounts`
  const serversOf = () => findServers(cluster.url, accountsTable(), accountIds)
  const idsOn = async (port: number) => {
    const servers = await serversOf()
    return accountIds.filter((id) => servers.get(id) === port)
  }
  /** What the load is refused meanwhile; refusals within the rules are left out. */
  async function refusedDuring(work: () => Promise<void>): Promise<unknown[]> {
    load.refusals.length = 0
    await work()
    await load.untilCreated(accountIds)
    return load.refusals.filter(({ code }) => code !== 'storage_unavailable')
  }

  test('a server that is added takes accounts, which are refused with nothing but 503', async () => {
    const wrong = await refusedDuring(async () => {
      await runSql(
        cluster.url,
        `select citus_add_node('127.0.0.1', ${addedPort})`,
        `select rebalance_table_shards('${accountsTable().replaceAll("'", "''")}', shard_transfer_mode => 'force_logical')`,
      )
    })
    expect(wrong).toEqual([])
    expect(await idsOn(addedPort)).not.toEqual([])
  })

  test('a worker that stops takes only its accounts, until it is back', async () => {
    const away = await idsOn(addedPort)
    const others = accountIds.filter((id) => !away.includes(id))
    expect([away.length > 0, others.length > 0]).toEqual([true, true])
    load.refusals.length = 0
    await cluster.kill(addedPort)
    await load.untilCreated(others)
    const codes = await Promise.all(
      accountIds.map(async (id) => [id, await codeOf(clientele.users.list(id))]),
    )
    expect(codes).toEqual(
      accountIds.map((id) => [id, away.includes(id) ? 'storage_unavailable' : undefined]),
    )
    await cluster.start(addedPort)
    await load.untilCreated(accountIds)
    const refused = new Set(load.refusals.map(({ accountId }) => accountId))
    expect([...refused].toSorted()).toEqual(away.toSorted())
    expect([...new Set(load.refusals.map(({ code }) => code))]).toEqual(['storage_unavailable'])
  })

  test('a server that is drained and removed takes no account with it', async () => {
    const wrong = await refusedDuring(async () => {
      await runSql(
        cluster.url,
        `select citus_drain_node('127.0.0.1', ${addedPort}, shard_transfer_mode => 'force_logical')`,
        `select citus_remove_node('127.0.0.1', ${addedPort})`,
      )
    })
    expect(wrong).toEqual([])
    expect(await idsOn(addedPort)).toEqual([])
  })

  test('all that was acknowledged is there, once', async () => {
    await load.stop()
    expect(load.created.length).toBeGreaterThan(5 * accountIds.length)
    for (const accountId of accountIds) {
      const acknowledged = load.created.filter((each) => each.accountId === accountId)
      for (const { id } of acknowledged)
        expect((await clientele.users.find(accountId, id)).user.id).toBe(id)
      const events = []
      let after: string | undefined
      for (let hasMore = true; hasMore; ) {
        const page = await clientele.events.read(accountId, { after, types: ['user.created'] })
        events.push(...page.data.map(({ subject }) => subject?.id))
        ;({ nextCursor: after, hasMore } = page)
      }
      expect(new Set(events).size).toBe(events.length)
      // A create that was refused when its answer was lost may have happened.
      expect(events).toEqual(expect.arrayContaining(acknowledged.map(({ id }) => id)))
    }
  })
}

import { randomBytes } from 'node:crypto'
import { runSql } from '../support/run-sql.ts'
import { openRecorded, type RecordedStatement } from '../support/statement-recorder.ts'

/** The coordinator of a cluster, as its superuser; `cluster.sh` beside this file starts one. */
export const citusUrl = process.env.CITUS_URL ?? ''

export interface DistributedTables {
  url: string
  schema: string
  /** The statements that have made them */
  migration: RecordedStatement[]
  close(): Promise<void>
}

/** Makes our tables on the cluster, distributed, in a schema of their own that has to be quoted. */
export async function openDistributed(coordinator = citusUrl): Promise<DistributedTables> {
  const schema = `Tenant "${randomBytes(6).toString('hex')}"`
  const url = `${coordinator}?schema=${encodeURIComponent(schema)}`
  const { repository, take, close } = openRecorded(url)
  await repository.storage.migrate({ distribute: true })
  const migration = take()
  await close()
  const quoted = `"${schema.replaceAll('"', '""')}"`
  return {
    url,
    schema,
    migration,
    close: async () => {
      await runSql(coordinator, `drop schema ${quoted} cascade`)
    },
  }
}

interface Place {
  shardid: string
  nodename: string
  nodeport: number
}

/** Moves half of the accounts, with all that is theirs, to another worker. Returns how many shards of accounts were moved. */
export async function moveShards({ schema }: DistributedTables): Promise<number> {
  const table = `"${schema.replaceAll('"', '""')}".clientele_accounts`
  const places = (await runSql(
    citusUrl,
    `select shardid, nodename, nodeport from citus_shards where table_name = '${table}'::regclass`,
  )) as Place[] // what it selects
  let count = 0
  for (const { shardid, nodename, nodeport } of places.filter((_, index) => index % 2 === 0)) {
    const other = places.find((place) => place.nodeport !== nodeport)
    if (other === undefined) throw new Error('The cluster has one worker.')
    await runSql(
      citusUrl,
      `select citus_move_shard_placement(${shardid}, '${nodename}', ${nodeport}, '${other.nodename}', ${other.nodeport}, 'force_logical')`,
    )
    count++
  }
  return count
}

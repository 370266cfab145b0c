import { execFile } from 'node:child_process'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Clientele, ClienteleError } from '@clientele/core'
import { findParent } from '../support/find-parent.ts'
import { runSql } from '../support/run-sql.ts'

const script = join(import.meta.dirname, 'cluster.sh')
const firstPort = 6111
/** The server that is not in the cluster when it begins */
export const addedPort = firstPort + 3

export interface OwnCluster {
  url: string
  start(port: number): Promise<void>
  kill(port: number): Promise<void>
  close(): Promise<void>
}

/** Starts a cluster of its own, so that no other test misses a server, and a server more. */
export async function startOwnCluster(): Promise<OwnCluster> {
  const folder = await mkdtemp(join(await findParent(), 'clientele-citus-'))
  await chmod(folder, 0o755)
  const run = async (command: string, ...port: number[]) => {
    const env = { ...process.env, PORT: `${firstPort}` }
    const args = [command, join(folder, 'cluster'), ...port.map(String)]
    return (await promisify(execFile)(script, args, { env })).stdout.trim()
  }
  const url = await run('start')
  await run('start', addedPort)
  return {
    url,
    start: async (port) => void (await run('start', port)),
    kill: async (port) => void (await run('kill', port)),
    close: async () => {
      await run('stop')
      await rm(folder, { recursive: true })
    },
  }
}

/** Answers with the port of the server that has an account, by the account's id. */
export async function findServers(
  url: string,
  table: string,
  accountIds: readonly string[],
): Promise<Map<string, number>> {
  const path = table.replaceAll("'", "''")
  const rows = (await runSql(
    url,
    `select cast(a.id as text) as id, n.nodeport as port
     from unnest(cast('{${accountIds}}' as uuid[])) as a(id)
       join pg_dist_placement p on p.shardid = get_shard_id_for_distribution_column('${path}', a.id)
       join pg_dist_node n on n.groupid = p.groupid`,
  )) as { id: string; port: number }[] // what it selects
  return new Map(rows.map(({ id, port }) => [id, port]))
}

/** What each account was told while it went on creating and reading users */
export interface Load {
  created: { accountId: string; id: string }[]
  refusals: { accountId: string; code: unknown }[]
  /** Resolves when each of these accounts has created another user. */
  untilCreated(accountIds: Iterable<string>): Promise<void>
  stop(): Promise<void>
}

export function startLoad(clientele: Clientele, accountIds: readonly string[]): Load {
  const created: Load['created'] = []
  const refusals: Load['refusals'] = []
  const waiting = new Map<string, (() => void)[]>()
  let isOn = true
  const writing = accountIds.map(async (accountId) => {
    const refuse = (error: unknown) => {
      refusals.push({ accountId, code: error instanceof ClienteleError ? error.code : error })
    }
    for (let count = 0; isOn; count++) {
      const input = { name: 'Ada', email: `ada-${count}@example.com`, password: 'password' }
      await clientele.users.create(accountId, input).then(async ({ user }) => {
        created.push({ accountId, id: user.id })
        for (const resolve of waiting.get(accountId) ?? []) resolve()
        waiting.delete(accountId)
        await clientele.users.find(accountId, user.id).catch(refuse)
      }, refuse)
      // It writes without a pause where it is refused at once: others need the CPU.
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  })
  const untilOne = (accountId: string) =>
    new Promise<void>((resolve) => {
      waiting.set(accountId, [...(waiting.get(accountId) ?? []), resolve])
    })
  return {
    created,
    refusals,
    untilCreated: async (some) => void (await Promise.all([...some].map(untilOne))),
    stop: async () => {
      isOn = false
      await Promise.all(writing)
    },
  }
}

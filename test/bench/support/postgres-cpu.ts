import { readdirSync, readFileSync } from 'node:fs'
import pg from 'pg'

/** The addresses of all servers of a Citus cluster, or the address alone */
async function listServers(url: string): Promise<string[]> {
  const [node] = await query(
    url,
    "select to_regclass('pg_catalog.pg_dist_node') is not null as found",
  )
  if (node?.found !== true) return [url]
  const nodes = await query(url, 'select nodename as host, nodeport as port from pg_dist_node')
  return nodes.map(({ host, port }) => {
    const server = new URL(url)
    server.host = `${host}:${port}`
    return server.href
  })
}

async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url.replace(/\?.*/, '') })
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}

/**
 * Makes the function that tells the CPU time of all processes of servers on this machine, in seconds: of a PostgreSQL, or of
 * every server of a Citus cluster. The role must be a superuser, and the system Linux.
 */
export async function watchPostgresCpu(url: string): Promise<() => number> {
  const parents = new Set<number>()
  for (const server of await listServers(url)) {
    const [row] = await query(server, "select pg_read_file('postmaster.pid', 0, 20) as text")
    parents.add(Number(String(row?.text).split('\n')[0]))
  }
  return () =>
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .reduce((sum, pid) => sum + readSeconds(pid, parents), 0)
}

function readSeconds(pid: string, parents: ReadonlySet<number>): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
    const isParent = parents.has(Number(pid))
    if (!isParent && !parents.has(Number(fields[1]))) return 0
    const nanoseconds = Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0])
    // Processes that have ended are counted with their parent.
    const ended = isParent ? (Number(fields[13]) + Number(fields[14])) / 100 : 0
    return nanoseconds / 1e9 + ended
  } catch {
    return 0 // It has ended meanwhile.
  }
}

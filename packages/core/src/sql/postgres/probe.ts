import { stateOf } from './faults.ts'
import type { PostgresQuery, WatchableClient } from './pool.ts'

/** A connection outside of the pool, to check whether the server answers new connections. */
export interface ProbeClient extends WatchableClient {
  connect(): Promise<unknown>
  query(query: PostgresQuery): Promise<{ rows: unknown[] }>
  on(event: 'error', listener: (error: Error) => void): unknown
}

/** The result of a successful probe. */
export interface ProbeResult {
  /** When the probe began */
  startedAt: number
  /** Whether the server is working on this connection's statement; undefined when that is unknown */
  isWorkingFor(client: WatchableClient): boolean | undefined
}

const blind = () => undefined

/**
 * Connects and asks which of our connections the server is working for.
 *
 * @throws when the server does not answer
 */
export async function probeServer(
  probe: ProbeClient,
  ours: () => readonly WatchableClient[],
): Promise<ProbeResult> {
  const startedAt = performance.now()
  probe.on('error', () => {})
  try {
    await probe.connect()
    const pids = ours().flatMap(({ processID }) => (isPid(processID) ? [processID] : []))
    const { rows } = await probe.query({
      text: `select pg_catalog.pg_backend_pid() as own, a.pid from (select 1) as one
        left join pg_catalog.pg_stat_activity as a
          on a.pid = any($1::int[]) and (a.state is null or a.state not like 'idle%')`,
      values: [pids],
    })
    const found = rows as { own: number; pid: number | null }[] // the columns above, as pg reads int4
    const working = new Set<unknown>(found.map(({ pid }) => pid))
    // Behind a pooler the process ids that clients receive are not the server's.
    if (found[0]?.own !== probe.processID) return { startedAt, isWorkingFor: blind }
    const server = addressOf(probe)
    const isWorkingFor = (client: WatchableClient): boolean | undefined =>
      isPid(client.processID) && addressOf(client) === server
        ? working.has(client.processID)
        : undefined
    return { startedAt, isWorkingFor }
  } catch (error) {
    // The server refused the probe, so it answers.
    if (stateOf(error) !== undefined) return { startedAt, isWorkingFor: blind }
    throw error
  }
}

/** Closes a socket without telling the other side, which may be gone. */
export function destroy({ connection }: WatchableClient, fault?: Error): void {
  connection?.stream?.destroy(fault)
}

function isPid(value: unknown): value is number {
  return typeof value === 'number' && value > 0
}

function addressOf({ connection }: WatchableClient): string | undefined {
  return connection?.stream?.remoteAddress
}

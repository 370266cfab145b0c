import { stateOf } from './faults.ts'
import type { JudgedClient, PostgresQuery } from './pool.ts'

/** A connection beside the pool, to see whether the server answers those who come now. */
export interface AsideClient extends JudgedClient {
  connect(): Promise<unknown>
  query(query: PostgresQuery): Promise<{ rows: unknown[] }>
  on(event: 'error', listener: (error: Error) => void): unknown
}

/** What a connection that was made just now has found out. */
export interface Sighting {
  /** When it was begun */
  startedAt: number
  /** Whether the server works at what this connection waits for; undefined where that cannot be known */
  isWorkingFor(client: JudgedClient): boolean | undefined
}

const blind = () => undefined

/**
 * Connects, and asks what the server does for connections of ours.
 *
 * @throws when nobody answers
 */
export async function lookAside(
  aside: AsideClient,
  ours: () => readonly JudgedClient[],
): Promise<Sighting> {
  const startedAt = performance.now()
  aside.on('error', () => {})
  try {
    await aside.connect()
    const pids = ours().flatMap(({ processID }) => (isPid(processID) ? [processID] : []))
    const { rows } = await aside.query({
      text: `select pg_catalog.pg_backend_pid() as own, a.pid from (select 1) as one
        left join pg_catalog.pg_stat_activity as a
          on a.pid = any($1::int[]) and (a.state is null or a.state not like 'idle%')`,
      values: [pids],
    })
    const found = rows as { own: number; pid: number | null }[] // the columns above, as pg reads int4
    const working = new Set<unknown>(found.map(({ pid }) => pid))
    // Behind a pooler nobody has the number that he was told.
    if (found[0]?.own !== aside.processID) return { startedAt, isWorkingFor: blind }
    const server = addressOf(aside)
    const isWorkingFor = (client: JudgedClient): boolean | undefined =>
      isPid(client.processID) && addressOf(client) === server
        ? working.has(client.processID)
        : undefined
    return { startedAt, isWorkingFor }
  } catch (error) {
    // It was refused: somebody is there.
    if (stateOf(error) !== undefined) return { startedAt, isWorkingFor: blind }
    throw error
  }
}

/** Ends a connection without a word to the other side, which may not be there. */
export function destroy({ connection }: JudgedClient, fault?: Error): void {
  connection?.stream?.destroy(fault)
}

function isPid(value: unknown): value is number {
  return typeof value === 'number' && value > 0
}

function addressOf({ connection }: JudgedClient): string | undefined {
  return connection?.stream?.remoteAddress
}

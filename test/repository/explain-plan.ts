import type { PoolClient } from 'pg'

/** What the database says that it has done for a statement */
export interface PlanNode {
  'Actual Rows'?: number
  'Actual Loops'?: number
  'Rows Removed by Filter'?: number
  'Rows Removed by Join Filter'?: number
  'Rows Removed by Index Recheck'?: number
  'Shared Hit Blocks'?: number
  'Shared Read Blocks'?: number
  Plans?: PlanNode[]
}

/** Runs a statement and undoes it; answers with what was done. */
export async function explain(
  client: PoolClient,
  mode: string,
  text: string,
  values: unknown[],
): Promise<PlanNode> {
  const literals = values.map((value) =>
    value === null ? 'null' : client.escapeLiteral(String(value)),
  )
  const execute = `execute looked_at${literals.length === 0 ? '' : `(${literals.join(', ')})`}`
  await client.query({ text: 'begin' })
  try {
    await client.query({ text: `set local plan_cache_mode = ${mode}` })
    await client.query({ text: `prepare looked_at as ${text}` })
    const { rows } = await client.query({ text: `explain (analyze, format json) ${execute}` })
    const [explained] = rows[0]['QUERY PLAN'] as { Plan: PlanNode }[] // one statement, in that format
    return explained?.Plan ?? {}
  } finally {
    // What was explained was also done.
    await client.query({ text: 'rollback' })
    await client.query({ text: 'deallocate looked_at' })
  }
}

/** How many rows were read, by all parts of the plan */
export function countTouches(node: PlanNode): number {
  const rows =
    (node['Actual Rows'] ?? 0) +
    (node['Rows Removed by Filter'] ?? 0) +
    (node['Rows Removed by Join Filter'] ?? 0) +
    (node['Rows Removed by Index Recheck'] ?? 0)
  const below = (node.Plans ?? []).map(countTouches)
  return below.reduce((sum, touches) => sum + touches, rows * (node['Actual Loops'] ?? 1))
}

/** How many pages were read */
export function countBlocks(node: PlanNode): number {
  return (node['Shared Hit Blocks'] ?? 0) + (node['Shared Read Blocks'] ?? Number.NaN)
}

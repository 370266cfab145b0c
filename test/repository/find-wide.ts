import { expect } from 'vitest'
import type { RecordedStatement } from '../support/statement-recorder.ts'
import { countTouches, explain } from './explain-plan.ts'
import type { PlanWorld } from './open-for-plans.ts'

type PlanMode = 'force_generic_plan' | 'force_custom_plan'

/** The statements that some work runs: queries and changes, and no others. */
export async function recordStatements(
  { recorded }: PlanWorld,
  work: () => Promise<unknown>,
): Promise<RecordedStatement[]> {
  recorded.take()
  await work()
  const statements = recorded.take().filter(({ sql }) => /^(with|select|update|delete) /.test(sql))
  expect(statements.length).toBeGreaterThan(0)
  return statements
}

interface Bounds {
  modes: readonly PlanMode[]
  maxTouches: number
  /** Whether some add rows: to explain them would add these twice, and is refused. @default false */
  mayAdd?: boolean
}

/** Those that touch more rows than they may, by how many that are at most in these modes. */
export async function findWide(
  { pool }: PlanWorld,
  statements: readonly RecordedStatement[],
  { modes, maxTouches, mayAdd = false }: Bounds,
): Promise<Record<string, number>> {
  const wide: Record<string, number> = {}
  const client = await pool.connect()
  try {
    for (const { sql, values } of statements) {
      let most = 0
      for (const mode of modes) {
        const plan = await explain(client, mode, sql, [...values]).catch((error: unknown) => {
          if (mayAdd && /duplicate key/.test(String(error))) return {}
          throw error
        })
        most = Math.max(most, countTouches(plan))
      }
      if (most > maxTouches) wide[sql] = most
    }
  } finally {
    client.release()
  }
  return wide
}

import type { Db } from './db.ts'
import { run, type Statement } from './statement.ts'

/**
 * Runs a write once for each account in the rows: no statement is about two accounts, and no account waits for another
 * one's locks. In-process, all writes share one transaction and one sync. Returns how many rows the writes returned.
 *
 * In a distributed database an account may be out of reach: the others are written before its fault is thrown.
 */
export async function writeByAccount<Row extends { accountId: string }, Input>(
  db: Db,
  statement: Statement<Input, unknown>,
  rows: readonly Row[],
  toInput: (accountId: string, rows: readonly Row[]) => Input,
): Promise<number> {
  const inputs = [...Map.groupBy(rows, ({ accountId }) => accountId)].map(
    ([accountId, ofAccount]) => toInput(accountId, ofAccount),
  )
  if (inputs.length === 0) return 0
  let count = 0
  if (db.features.isInProcess) {
    return db.transact(function* () {
      for (const input of inputs) count += (yield* run(statement, input)).length
      return count
    })
  }
  const faults: unknown[] = []
  for (const input of inputs) {
    try {
      count += (await db.query(statement, input)).length
    } catch (error) {
      if (!db.isDistributed) throw error
      faults.push(error)
    }
  }
  if (faults.length > 0) throw faults[0]
  return count
}

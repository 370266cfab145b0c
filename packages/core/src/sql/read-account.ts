import { ClienteleError } from '../base/errors.ts'
import type { Db, Statement } from './db.ts'

/**
 * Runs a frequent read of one account, on a distributed database by the function that reads where the account is. What
 * the function cannot read, the statement itself reads.
 */
export function readAccount<Input extends { accountId: string }, Row>(
  db: Db,
  statement: Statement<Input, Row>,
  input: Input,
): Promise<Row[]> {
  if (db.readFunction === undefined) return db.query(statement, input)
  return db.readFunction
    .read((step) => db.driver.query(step), statement, input)
    .catch((error: unknown) => {
      if (error instanceof ClienteleError && error.code === 'storage_unavailable') throw error
      return undefined
    })
    .then((rows) => rows ?? db.query(statement, input))
}

import { ClienteleError } from '../base/errors.ts'
import type { Db } from './db.ts'
import type { Statement } from './statement.ts'

/**
 * Runs a frequent read of one account. On a distributed database the server that has the account reads it, if it may be
 * asked, or a function that the coordinator hands on. What they cannot read, the statement itself reads.
 */
export async function readAccount<Input extends { accountId: string }, Row>(
  db: Db,
  statement: Statement<Input, Row>,
  input: Input,
): Promise<Row[]> {
  const { directReads, readFunction } = db
  if (directReads === undefined && readFunction === undefined) return db.query(statement, input)
  const rows =
    (await attempt(() => directReads?.read(statement, input))) ??
    (await attempt(() => readFunction?.read((step) => db.driver.query(step), statement, input)))
  return rows ?? db.query(statement, input)
}

/** The same for a statement of one table, which costs the coordinator no more than the function. */
export async function readAccountRow<Input extends { accountId: string }, Row>(
  db: Db,
  statement: Statement<Input, Row>,
  input: Input,
): Promise<Row | undefined> {
  const { directReads } = db
  if (directReads === undefined) return db.queryOne(statement, input)
  const rows = await attempt(() => directReads.read(statement, input))
  return rows === undefined ? db.queryOne(statement, input) : rows[0]
}

async function attempt<T>(read: () => Promise<T> | undefined): Promise<T | undefined> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof ClienteleError && error.code === 'storage_unavailable') throw error
    return undefined
  }
}

import { sql } from 'kysely'
import pTimeout from 'p-timeout'
import { ClienteleError } from '../base/errors.ts'
import type { Db, Driver } from './db.ts'

/** Those who ask whether we are ready wait a second, and the answer has to get to them. */
const limitMs = 750

/** Makes what asks the database for a sign of life, and never waits longer than those who ask for it. */
export function createPing(db: Db, driver: Driver): () => Promise<void> {
  const selectOne = db.statement<object>()((queries) =>
    queries.selectNoFrom(sql<number>`1`.as('one')),
  )
  return async () => {
    const startedAt = performance.now()
    driver.assertReachable?.()
    const isAnswered = await pTimeout(
      db.query(selectOne, {}).then(() => true),
      { milliseconds: limitMs, fallback: () => false },
    )
    // Under load this may stand behind others, which are answered meanwhile.
    if (isAnswered || driver.hasAnsweredSince?.(startedAt) === true) return
    throw new ClienteleError('storage_unavailable', undefined, {
      cause: new Error(`The database has not answered within ${limitMs} ms.`),
      retryAfterSeconds: 1,
    })
  }
}

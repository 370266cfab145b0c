import { sql } from 'kysely'
import pTimeout from 'p-timeout'
import { ClienteleError } from '../base/errors.ts'
import type { Db } from './db.ts'
import type { Driver } from './driver.ts'

/** A caller of the readiness check waits a second, and the response must arrive within it. */
const limitMs = 750

/**
 * Makes a function that checks whether the database answers, within the time limit of the readiness check. Simultaneous
 * calls share one query: callers without a key must not fill the queue for connections.
 */
export function createPing(db: Db, driver: Driver): () => Promise<void> {
  const ping = createSinglePing(db, driver)
  let asking: Promise<void> | undefined

  return () => {
    asking ??= ping().finally(() => {
      asking = undefined
    })
    return asking
  }
}

function createSinglePing(db: Db, driver: Driver): () => Promise<void> {
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
    // Under load this query may wait behind others; their answers count, too.
    if (isAnswered || driver.hasAnsweredSince?.(startedAt) === true) return
    throw new ClienteleError('storage_unavailable', undefined, {
      cause: new Error(`The database has not answered within ${limitMs} ms.`),
      retryAfterSeconds: 1,
    })
  }
}

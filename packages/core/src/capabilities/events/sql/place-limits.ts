import type { Db } from '../../../sql/db.ts'

/**
 * How many events one statement assigns positions to. PostgreSQL finds few events by their keys; for a thousand it may
 * read the whole account.
 */
export const placedAtOnce = 100
/** How many of these statements form a transaction */
export const maxStatements = 10
/** How long a transaction goes on where all other work waits for it, in milliseconds */
const maxMs = 5

interface PlaceLimits {
  /** How many events one statement assigns positions to */
  atOnce: number
  /** The same where their digests are made in this process */
  linkedAtOnce: number
  /** Whether a transaction runs another statement after that many, and after that time on the clock of `performance` */
  mayGoOn(statements: number, startedAt: number): boolean
}

export function placeLimitsOf(db: Db): PlaceLimits {
  return db.features.isInProcess
    ? {
        // An event may have 30 KB, and SQLite writes all of it again.
        atOnce: 25,
        linkedAtOnce: 25,
        mayGoOn: (statements, startedAt) =>
          statements === 0 || performance.now() - startedAt < maxMs,
      }
    : {
        atOnce: placedAtOnce,
        linkedAtOnce: 50,
        mayGoOn: (statements) => statements < maxStatements,
      }
}

import { FairLimit } from '../base/runtime/fair-limit.ts'
import type { CompiledQuery } from './statement.ts'

/** How many connections a pool has if nothing else is known: the default of `pg` */
const usualConnections = 10

/** Whether a statement only reads. */
export function isRead({ sql }: Pick<CompiledQuery, 'sql'>): boolean {
  return sql.startsWith('select ')
}

/** Limits of a pool; the key is the account. */
export interface ConnectionLimits {
  reads: FairLimit
  writes: FairLimit
}

/**
 * Bounds the connections of one account, so that other accounts find one. A write keeps its connection while it waits for
 * a row that another write has locked, for a second if the two wait for each other. Reads of an account's largest pages
 * that end together hold the event loop one after the other, and those that wait for a connection delay every other
 * statement: they wait here, where accounts take turns.
 */
export function createConnectionLimits(connections = usualConnections): ConnectionLimits {
  const waiting = { maxWaiting: Number.POSITIVE_INFINITY, retryAfterSeconds: 1 }
  return {
    reads: new FairLimit({
      // Two are left for the look-ups of keys and tokens, which are of several accounts and have no limit.
      atOnce: Math.max(1, connections - 2),
      atOncePerKey: Math.max(1, Math.floor((2 / 5) * connections)),
      ...waiting,
    }),
    writes: new FairLimit({
      // One is left for reads.
      atOnce: Math.max(1, connections - 1),
      leavesFree: true,
      ...waiting,
    }),
  }
}

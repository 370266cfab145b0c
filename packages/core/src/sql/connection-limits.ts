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
  const create = (atOnce: number, atOncePerKey: number): FairLimit =>
    new FairLimit({
      atOnce: Math.max(1, atOnce),
      atOncePerKey: Math.max(1, Math.floor(atOncePerKey)),
      maxWaiting: Number.POSITIVE_INFINITY,
      retryAfterSeconds: 1,
    })
  return {
    // Two are left for the look-ups of keys and tokens, which are of several accounts and have no limit.
    reads: create(connections - 2, (2 / 5) * connections),
    // One is left for reads.
    writes: create(connections - 1, connections / 2),
  }
}

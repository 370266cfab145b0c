import { FairLimit } from '../base/runtime/fair-limit.ts'

/** How many connections a pool has if nothing else is known: the default of `pg` */
const usualConnections = 10

/**
 * Bounds the connections with writes. A write keeps its connection while it waits for a row that another write has
 * locked, for a second if the two wait for each other. So the writes of one account have half of the connections at
 * most, and those of all accounts leave one for reads. The key is the account.
 */
export function createWriteLimit(connections = usualConnections): FairLimit {
  return new FairLimit({
    atOnce: Math.max(1, connections - 1),
    atOncePerKey: Math.max(1, Math.floor(connections / 2)),
    maxWaiting: Number.POSITIVE_INFINITY,
    retryAfterSeconds: 1,
  })
}

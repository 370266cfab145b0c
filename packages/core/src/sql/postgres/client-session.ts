import { type HostSession, hasMethod, invalidHandle } from '../host-sessions/host-session.ts'
import type { PostgresQuery } from './pool.ts'
import { types } from './type-parsers.ts'

/** The members of the host's `pg` client that we use, typed by structure. */
interface PostgresTransactionClient {
  /** Several statements at once have several results. */
  query(query: PostgresQuery): Promise<QueryResult | QueryResult[]>
}

interface QueryResult {
  rows: unknown[]
}

/**
 * A `pg` client on which the host has begun a transaction.
 *
 * @throws ClienteleError `transaction_invalid`
 */
export function openClientSession(handle: unknown): HostSession {
  assertClient(handle)
  return {
    handle,
    takesScripts: true,
    query: async ({ sql, parameters }) => {
      // Unnamed: the connection and its prepared statements belong to the host.
      const result = await handle.query({ text: sql, values: parameters, types })
      const last = Array.isArray(result) ? result.at(-1) : result
      return last?.rows ?? []
    },
  }
}

function assertClient(handle: unknown): asserts handle is PostgresTransactionClient {
  const isObject = typeof handle === 'object' && handle !== null
  if (!isObject || typeof Reflect.get(handle, 'query') !== 'function')
    throw invalidHandle(
      'within() takes the transaction: a client of pg on which it has begun, or the transaction of Kysely, Drizzle or Prisma.',
    )
  if (Reflect.has(handle, 'totalCount'))
    throw invalidHandle(
      'within() was given a pool: give it the client that has begun the transaction.',
    )
  if (hasMethod(handle, 'exec'))
    throw invalidHandle(
      "within() takes no transaction of PGlite's own: give it one of Kysely or Drizzle on it.",
    )
  if (Reflect.has(handle, 'native'))
    throw invalidHandle('within() takes a client of pg, not of pg.native.')
}

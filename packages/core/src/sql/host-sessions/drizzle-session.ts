import { normalizeRows } from '../normalize-rows.ts'
import type { CompiledQuery } from '../statement.ts'
import { type HostSession, hasMethod, invalidHandle } from './host-session.ts'

/** The parts of Drizzle's `sql` that Drizzle needs to run a query: its text and its values. */
interface DrizzleQuery {
  getSQL(): DrizzleQuery
  toQuery(): { sql: string; params: unknown[] }
}

/** The members of a Drizzle transaction on PostgreSQL that we use, typed by structure. */
interface DrizzleTransaction {
  /** Returns what the driver returns: a list of rows, or an object with `rows` */
  execute(query: DrizzleQuery): PromiseLike<unknown>
}

/** Drizzle's marker of its classes */
const kind = Symbol.for('drizzle:entityKind')

/**
 * A Drizzle transaction on PostgreSQL; undefined for other objects.
 *
 * @throws ClienteleError `transaction_invalid`; also for any Drizzle transaction on SQLite, which ends before a promise
 *   settles
 */
export function openDrizzleSession(handle: object): HostSession | undefined {
  if (!Reflect.has(Object(Reflect.get(handle, 'constructor')), kind)) return undefined
  if (!isOnPostgres(handle))
    throw invalidHandle(
      "Drizzle's transaction on SQLite waits for no promise: begin and commit yourself, and give within() the connection, db.$client.",
    )
  if (!hasMethod(handle, 'rollback'))
    throw invalidHandle(
      'within() was given a Drizzle database: give it the transaction, db.transaction((tx) => …).',
    )
  return {
    handle,
    query: async (step) => {
      try {
        return normalizeRows(rowsOf(await handle.execute(toQuery(step))))
      } catch (error) {
        throw faultOf(error)
      }
    },
  }
}

function isOnPostgres(handle: object): handle is DrizzleTransaction {
  return hasMethod(handle, 'execute')
}

function toQuery({ sql, parameters }: CompiledQuery): DrizzleQuery {
  const query: DrizzleQuery = {
    getSQL: () => query,
    toQuery: () => ({ sql, params: parameters }),
  }
  return query
}

function rowsOf(result: unknown): unknown[] {
  const rows: unknown = Array.isArray(result) ? result : Reflect.get(Object(result), 'rows')
  return Array.isArray(rows) ? rows : []
}

/**
 * The driver's fault. Drizzle's own error has the statement and its values in its message, which must not be repeated.
 */
function faultOf(error: unknown): unknown {
  return error instanceof Error && error.cause instanceof Error ? error.cause : error
}

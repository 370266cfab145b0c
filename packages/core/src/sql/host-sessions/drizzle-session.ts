import type { CompiledQuery } from '../db.ts'
import { normalizeRows } from '../normalize-rows.ts'
import { type HostSession, hasMethod, invalidHandle } from './host-session.ts'

/** A query as Drizzle takes it in the place of its own `sql`: what it asks of that is the text and the values. */
interface DrizzleQuery {
  getSQL(): DrizzleQuery
  toQuery(): { sql: string; params: unknown[] }
}

/** What we use of a transaction of Drizzle on PostgreSQL, typed by structure. */
interface DrizzleTransaction {
  /** Answers as the driver does: with a list of rows, or with an object that has them */
  execute(query: DrizzleQuery): PromiseLike<unknown>
}

/** Drizzle's own mark of its classes */
const kind = Symbol.for('drizzle:entityKind')

/**
 * A transaction of Drizzle on PostgreSQL; undefined for what is no Drizzle.
 *
 * @throws ClienteleError `transaction_invalid`; for every one on SQLite too, which is over before a promise is kept
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

/** The driver's own: around it is the text of the statement with its values, which nobody is told. */
function faultOf(error: unknown): unknown {
  return error instanceof Error && error.cause instanceof Error ? error.cause : error
}

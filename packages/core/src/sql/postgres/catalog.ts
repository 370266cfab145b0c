import { ClienteleError } from '../../base/errors.ts'
import type { CompiledQuery, Transaction } from '../statement.ts'
import { toPath } from '../to-path.ts'

export function findTable(schema: string | undefined, name: string): CompiledQuery {
  return {
    // Reading the catalog's table refreshes this connection's cache of names. `to_regclass` alone would miss a table
    // that another process created while this one waited for the lock.
    sql: 'select 1 as found from pg_catalog.pg_class where oid = to_regclass($1)',
    parameters: [toPath(schema, name)],
  }
}

/** @throws ClienteleError `configuration_invalid` for a database that cannot store every text */
export function* makeSchema(schema: string | undefined): Transaction<void> {
  yield* assertEncoding()
  if (schema === undefined) return
  // Checked first: `if not exists` needs the right to create even when the schema exists.
  const known = yield {
    sql: 'select 1 as found from pg_catalog.pg_namespace where nspname = $1',
    parameters: [schema],
  }
  if (known.length > 0) return
  yield { sql: `create schema if not exists ${toPath(undefined, schema)}`, parameters: [] }
}

function* assertEncoding(): Transaction<void> {
  const rows = yield {
    sql: "select pg_catalog.current_setting('server_encoding') as encoding",
    parameters: [],
  }
  const encoding: unknown = Reflect.get(Object(rows[0]), 'encoding')
  if (encoding === 'UTF8') return
  throw new ClienteleError(
    'configuration_invalid',
    `The database has the encoding ${encoding}, in which not every text can be stored: create one with ENCODING 'UTF8' TEMPLATE template0.`,
  )
}

export function lockMigrations(): CompiledQuery {
  // The key is "clientele" cut to 8 bytes, as a number.
  return { sql: 'select pg_advisory_xact_lock(7164782967230983276)', parameters: [] }
}

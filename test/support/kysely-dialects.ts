import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { PGlite } from '@electric-sql/pglite'
import { createClient } from '@libsql/client'
import { Kysely, PGliteDialect, PostgresDialect, SqliteDialect } from 'kysely'
import { Pool, type PoolConfig } from 'pg'
import { createLibsqlDialect } from './libsql-dialect.ts'

/** `pg` with the parsers of types that it has by itself: int8 is a text, JSON is parsed */
export function openPgKysely(connectionString: string, options: PoolConfig = {}): Kysely<unknown> {
  const pool = new Pool({ connectionString, ...options })
  // A connection that dies ends a process that does not listen: the pool listens only while it is idle.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  return new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) })
}

/** PostgreSQL in the process, in memory */
export function openPgliteKysely(): Kysely<unknown> {
  return new Kysely<unknown>({ dialect: new PGliteDialect({ pglite: new PGlite() }) })
}

export function openLibsqlKysely(filename: string): Kysely<unknown> {
  const client = createClient({ url: `file:${filename}` })
  return new Kysely<unknown>({ dialect: createLibsqlDialect(client) })
}

/** Kysely's dialect for SQLite takes any object that prepares statements as better-sqlite3 does. */
export function openNodeSqliteKysely(filename: string): Kysely<unknown> {
  const connection = new DatabaseSync(filename)
  const prepare = (sql: string) => {
    const statement = connection.prepare(sql)
    return {
      reader: statement.columns().length > 0,
      all: (values: readonly unknown[]) => statement.all(...toInput(values)),
      run: (values: readonly unknown[]) => statement.run(...toInput(values)),
      iterate: (values: readonly unknown[]) => statement.iterate(...toInput(values)),
    }
  }
  const dialect = new SqliteDialect({ database: { prepare, close: () => connection.close() } })
  return new Kysely<unknown>({ dialect })
}

function toInput(values: readonly unknown[]): SQLInputValue[] {
  return values as SQLInputValue[] // node:sqlite refuses what it does not take
}

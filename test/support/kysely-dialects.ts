import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { PGlite } from '@electric-sql/pglite'
import { createClient } from '@libsql/client'
import { Kysely, PGliteDialect, PostgresDialect, SqliteDialect } from 'kysely'
import { Pool } from 'pg'
import { createLibsqlDialect } from './libsql-dialect.ts'

/** An instance of Kysely as a host has it, with a driver that is not ours. */
export interface HostKysely {
  db: Kysely<unknown>
  close(): Promise<void>
}

/** `pg` with the parsers of types that it has by itself: int8 is a text, JSON is parsed */
export function openPgKysely(connectionString: string): HostKysely {
  const pool = new Pool({ connectionString })
  const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) })
  return { db, close: () => db.destroy() }
}

/** PostgreSQL in the process, in memory */
export function openPgliteKysely(): HostKysely {
  const db = new Kysely<unknown>({ dialect: new PGliteDialect({ pglite: new PGlite() }) })
  return { db, close: () => db.destroy() }
}

export function openLibsqlKysely(filename: string): HostKysely {
  const client = createClient({ url: `file:${filename}` })
  const db = new Kysely<unknown>({ dialect: createLibsqlDialect(client) })
  return { db, close: () => db.destroy() }
}

/** Kysely's dialect for SQLite takes any object that prepares statements as better-sqlite3 does. */
export function openNodeSqliteKysely(filename: string): HostKysely {
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
  const db = new Kysely<unknown>({ dialect })
  return { db, close: () => db.destroy() }
}

function toInput(values: readonly unknown[]): SQLInputValue[] {
  return values as SQLInputValue[] // node:sqlite refuses what it does not take
}

import type { CompiledQuery } from '../statement.ts'
import { toSqlite } from '../to-sqlite.ts'
import type { SqliteConnection, SqliteStatement } from './connection.ts'

/** The prepared statements of a connection. */
export class SqliteStatements {
  readonly #connection: SqliteConnection
  readonly #prepared = new Map<string, SqliteStatement>()

  constructor(connection: SqliteConnection) {
    this.#connection = connection
  }

  prepare(sql: string): SqliteStatement {
    let statement = this.#prepared.get(sql)
    if (statement === undefined) {
      statement = this.#connection.prepare(sql)
      // The host may have turned on bigints for the whole connection.
      if (statement.reader) statement.safeIntegers?.(false)
      this.#prepared.set(sql, statement)
    }
    return statement
  }

  execute({ sql, parameters }: CompiledQuery): unknown[] {
    const statement = this.prepare(sql)
    const values = toSqlite(parameters)
    if (statement.reader) return statement.all(values)
    statement.run(values)
    return []
  }

  clear(): void {
    this.#prepared.clear()
  }
}

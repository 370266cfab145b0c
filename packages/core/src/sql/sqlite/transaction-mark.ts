import type { SqliteConnection, SqliteStatement } from './connection.ts'

/** They are kept for as long as the connection is. */
const known = new WeakMap<SqliteConnection, TransactionMark>()

/** One for all who write in transactions of the connection. */
export function markOf(connection: SqliteConnection): TransactionMark {
  const mark = known.get(connection) ?? new TransactionMark(connection)
  known.set(connection, mark)
  return mark
}

/**
 * Tells one transaction of a connection of better-sqlite3 from the next. SQLite has no name for a transaction, and says
 * nothing of its end, but a savepoint is gone with it. While calls wait, one stands behind all others. Whether it is still
 * there is seen when it is released; then it is set anew.
 */
export class TransactionMark {
  readonly #connection: SqliteConnection
  readonly #statements = new Map<string, SqliteStatement>()
  /** The number of the transaction that was marked last */
  #generation = 0
  /** The calls that wait in it */
  #calls = 0

  constructor(connection: SqliteConnection) {
    this.#connection = connection
  }

  /** The transaction that is open; undefined where none is. To be left when the call is done. */
  enter(): number | undefined {
    if (!this.#connection.inTransaction) return undefined
    if (!this.#release()) {
      this.#generation++
      this.#calls = 0
    }
    this.#run('savepoint clientele_mark')
    this.#calls++
    return this.#generation
  }

  /** Runs a statement in the transaction; answers with undefined, and runs nothing, where that has ended. */
  run<T>(generation: number | undefined, work: () => T): { result: T } | undefined {
    if (generation !== this.#generation || !this.#release()) return undefined
    try {
      return { result: work() }
    } finally {
      // A full disk has ended it.
      if (this.#connection.inTransaction) this.#run('savepoint clientele_mark')
    }
  }

  leave(generation: number | undefined): void {
    if (generation === this.#generation && --this.#calls === 0) this.#release()
  }

  /** Answers no where the mark is gone, and with it the transaction. */
  #release(): boolean {
    if (!this.#connection.open || !this.#connection.inTransaction) return false
    try {
      this.#run('release clientele_mark')
      return true
    } catch (error) {
      if (error instanceof Error && error.message.includes('no such savepoint')) return false
      throw error
    }
  }

  #run(sql: string): void {
    const statement = this.#statements.get(sql) ?? this.#connection.prepare(sql)
    this.#statements.set(sql, statement)
    statement.run()
  }
}

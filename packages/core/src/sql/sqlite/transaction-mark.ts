import type { SqliteConnection, SqliteStatement } from './connection.ts'

/** Cached for as long as the connection lives. */
const known = new WeakMap<SqliteConnection, TransactionMark>()

/** Returns the one mark of a connection. */
export function markOf(connection: SqliteConnection): TransactionMark {
  const mark = known.get(connection) ?? new TransactionMark(connection)
  known.set(connection, mark)
  return mark
}

/**
 * Tells the transactions of a better-sqlite3 connection apart. SQLite gives transactions no ids and does not report
 * their end, but a savepoint ends with its transaction. While calls wait, the mark is the innermost savepoint.
 * Releasing it shows whether it still exists; then it is set again.
 */
export class TransactionMark {
  readonly #connection: SqliteConnection
  readonly #statements = new Map<string, SqliteStatement>()
  /** The number of the last marked transaction */
  #generation = 0
  /** The number of waiting calls in it */
  #calls = 0

  constructor(connection: SqliteConnection) {
    this.#connection = connection
  }

  /** Marks the open transaction; undefined when none is open. Call `leave` when the call is done. */
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

  /** Runs work in the transaction; returns undefined, without running it, when the transaction has ended. */
  run<T>(generation: number | undefined, work: () => T): { result: T } | undefined {
    if (generation !== this.#generation || !this.#release()) return undefined
    try {
      return { result: work() }
    } finally {
      // A full disk may have ended the transaction.
      if (this.#connection.inTransaction) this.#run('savepoint clientele_mark')
    }
  }

  leave(generation: number | undefined): void {
    if (generation === this.#generation && --this.#calls === 0) this.#release()
  }

  /** Returns false when the mark, and so the transaction, is gone. */
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

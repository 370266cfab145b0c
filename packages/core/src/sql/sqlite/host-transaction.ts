import { ClienteleError } from '../../base/errors.ts'
import type { OpenTransaction } from '../driver.ts'
import { endedInstead, invalidHandle } from '../host-sessions/host-session.ts'
import type { HostTransaction } from '../host-transaction.ts'
import type { CompiledQuery } from '../statement.ts'
import type { SqliteConnection } from './connection.ts'
import { translate } from './faults.ts'
import { type HostFile, isSameFile } from './host-file.ts'
import { SqliteStatements } from './statements.ts'
import { markOf, type TransactionMark } from './transaction-mark.ts'

export interface HostTransactionOptions {
  /** The host's connection */
  connection: SqliteConnection
  /** Where our reads run: on the same connection or apart from it */
  reads: 'here' | 'apart' | 'unknown'
  /** Whether an uncommitted write exists. Not called on the same connection. */
  isBeingWritten(): boolean
}

/** @throws ClienteleError `transaction_invalid`, `transaction_foreign` */
export function assertConnection(
  handle: unknown,
  own: HostFile,
): asserts handle is SqliteConnection {
  const isObject = typeof handle === 'object' && handle !== null
  if (
    !isObject ||
    !['prepare', 'pragma', 'inTransaction'].every((name) => Reflect.has(handle, name))
  )
    throw invalidHandle(
      'within() takes the transaction: a better-sqlite3 connection on which it has begun, or the transaction of Kysely or Prisma.',
    )
  const connection = handle as SqliteConnection // it has the members that we use
  if (!connection.open) throw invalidHandle('within() was given a connection that is closed.')
  if (connection === own) return
  // An in-memory database is ours only on our connection.
  if (own.memory || !isSameFile(own, connection)) throw new ClienteleError('transaction_foreign')
  // Foreign keys cannot be turned on inside a transaction; without them a user's rows would outlive the user.
  if (Number(connection.pragma('foreign_keys', { simple: true })) !== 1)
    throw invalidHandle("Turn foreign keys on before the transaction: pragma('foreign_keys = ON').")
}

/** Cached for as long as the connection lives. */
const known = new WeakMap<SqliteConnection, SqliteStatements>()

function statementsOf(connection: SqliteConnection): SqliteStatements {
  const statements = known.get(connection) ?? new SqliteStatements(connection)
  known.set(connection, statements)
  return statements
}

/** A transaction that the host has begun on its own connection or on ours. */
export class SqliteHostTransaction implements OpenTransaction {
  /** A write after another connection's fails, as it would not see that one. */
  readonly keepsSnapshot = false
  readonly #options: HostTransactionOptions
  readonly #mark: TransactionMark
  /** The transaction in which the call was made; undefined: none was open */
  readonly #generation: number | undefined

  constructor(options: HostTransactionOptions, generation?: number) {
    this.#options = options
    this.#mark = markOf(options.connection)
    this.#generation = generation
  }

  async query(step: CompiledQuery): Promise<unknown[]> {
    return this.#execute(step)
  }

  pin(): SqliteHostTransaction {
    return new SqliteHostTransaction(this.#options, this.#mark.enter())
  }

  async settle(): Promise<void> {
    this.#mark.leave(this.#generation)
  }

  enter(name: string): Promise<void> {
    return this.save(name)
  }

  async save(name: string): Promise<void> {
    this.#execute({ sql: `savepoint ${name}`, parameters: [] })
  }

  async release(name: string): Promise<void> {
    this.#execute({ sql: `release ${name}`, parameters: [] })
  }

  async undo(name: string): Promise<void> {
    // The savepoint is gone if a full disk rolled back the transaction or the host ended it.
    this.#tryToExecute({ sql: `rollback to ${name}`, parameters: [] })
  }

  follow(): ReturnType<HostTransaction['follow']> {
    const { connection, reads, isBeingWritten } = this.#options
    return async (isVisible) => {
      // The same connection also shows uncommitted rows.
      if (reads === 'apart' && (await isVisible())) return 'committed'
      if (connection.inTransaction) {
        // This transaction or a later one is open. A row that is not visible to its own connection was rolled back.
        if (reads === 'here') return (await isVisible()) ? 'open' : 'rolled_back'
        // Our transaction has written, so no other connection can write before it ends.
        if (reads === 'unknown' || isBeingWritten()) return 'open'
      }
      return (await isVisible()) ? 'committed' : 'rolled_back'
    }
  }

  /** While the call hashed or waited, the host may have ended its transaction and begun another. */
  #execute(step: CompiledQuery): unknown[] {
    const done = this.#tryToExecute(step)
    if (done !== undefined) return done.result
    if (this.#generation === undefined) throw new ClienteleError('transaction_required')
    throw endedInstead()
  }

  #tryToExecute(step: CompiledQuery): { result: unknown[] } | undefined {
    try {
      const statements = statementsOf(this.#options.connection)
      return this.#mark.run(this.#generation, () => statements.execute(step))
    } catch (error) {
      throw translate(error)
    }
  }
}

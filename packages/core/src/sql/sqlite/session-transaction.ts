import { ClienteleError } from '../../base/errors.ts'
import type { OpenTransaction } from '../driver.ts'
import { endedInstead, type HostSession, invalidHandle } from '../host-sessions/host-session.ts'
import type { HostTransaction } from '../host-transaction.ts'
import type { CompiledQuery } from '../statement.ts'
import { translate } from './faults.ts'
import { type HostFile, isSameFile } from './host-file.ts'
import { type SessionMark, sessionMarkOf } from './session-mark.ts'

export interface SessionTransactionOptions {
  session: HostSession
  own: HostFile
  /** The handles that are known to use our file */
  known: WeakSet<object>
  /** Whether an uncommitted write exists */
  isBeingWritten(): boolean | Promise<boolean>
}

export const selectFile =
  "select file, foreign_keys from pragma_database_list, pragma_foreign_keys where name = 'main'"

/** The row of `selectFile` */
export function fileOf(row: unknown): { name: string; memory: boolean } {
  const file: unknown = Reflect.get(Object(row), 'file')
  const name = typeof file === 'string' ? file : ''
  return { name, memory: name === '' }
}

/** A transaction on SQLite that belongs to a library of the host's. */
export class SqliteSessionTransaction implements OpenTransaction {
  /** A write after another connection's fails, as it would not see that one. */
  readonly keepsSnapshot = false
  readonly #options: SessionTransactionOptions
  readonly #mark: SessionMark

  constructor(options: SessionTransactionOptions) {
    this.#options = options
    this.#mark = sessionMarkOf(options.session)
  }

  async query(step: CompiledQuery): Promise<unknown[]> {
    // A read changes nothing, even in a later transaction.
    if (step.sql.startsWith('select ')) return this.#send(step)
    if (!(await this.#isOpen())) throw endedInstead()
    return this.#mark.write(() => this.#send(step))
  }

  pin(): this {
    this.#mark.enter()
    return this
  }

  async settle(): Promise<void> {
    await this.#mark.leave()
  }

  async enter(name: string): Promise<void> {
    const { known, session } = this.#options
    const { handle } = session
    // Outside of a transaction a savepoint would begin one.
    if (!(await this.#isOpen())) throw new ClienteleError('transaction_required')
    if (!known.has(handle)) await this.#assertSameFile()
    known.add(handle)
    await this.save(name)
    if (await this.#isOpen()) return
    // The savepoint is now in the next transaction, or has begun one.
    await this.#runWhereSaved(`release ${name}`)
    throw endedInstead()
  }

  async save(name: string): Promise<void> {
    await this.#run(`savepoint ${name}`)
  }

  async release(name: string): Promise<void> {
    if (!(await this.#runWhereSaved(`release ${name}`))) throw endedInstead()
  }

  async undo(name: string): Promise<void> {
    await this.#runWhereSaved(`rollback to ${name}`)
  }

  follow(): ReturnType<HostTransaction['follow']> {
    const { own, isBeingWritten } = this.#options
    return async (isVisible) => {
      // Our own connection also shows uncommitted rows.
      if (own.inTransaction) return 'open'
      if (await isVisible()) return 'committed'
      // Our transaction has written, so no other connection can write before it ends.
      if (await isBeingWritten()) return 'open'
      return (await isVisible()) ? 'committed' : 'rolled_back'
    }
  }

  /** Returns false when the savepoint is gone: a full disk rolled back the transaction, or the host ended it. */
  async #runWhereSaved(sql: string): Promise<boolean> {
    try {
      await this.#run(sql)
      return true
    } catch (error) {
      if (error instanceof Error && error.message.includes('no such savepoint')) return false
      throw error
    }
  }

  async #assertSameFile(): Promise<void> {
    const [row] = await this.#run(selectFile)
    if (!isSameFile(this.#options.own, fileOf(row))) throw new ClienteleError('transaction_foreign')
    // Foreign keys cannot be turned on inside a transaction; without them a user's rows would outlive the user.
    if (Number(Reflect.get(Object(row), 'foreign_keys')) !== 1)
      throw invalidHandle('Turn foreign keys on before the transaction: pragma foreign_keys = on.')
    // An in-memory database is ours only on our connection.
    const { own } = this.#options
    if (own.memory && own.inTransaction === false) throw new ClienteleError('transaction_foreign')
  }

  async #isOpen(): Promise<boolean> {
    try {
      return await this.#mark.isOpen()
    } catch (error) {
      throw explain(error)
    }
  }

  #run(sql: string): Promise<unknown[]> {
    return this.#send({ sql, parameters: [] })
  }

  async #send(step: CompiledQuery): Promise<unknown[]> {
    try {
      return await this.#options.session.query(step)
    } catch (error) {
      throw explain(error)
    }
  }
}

function explain(error: unknown): unknown {
  // SQLSTATEs of PostgreSQL
  const code: unknown = Reflect.get(Object(error), 'code')
  if (typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && /\d/.test(code))
    return new ClienteleError('transaction_foreign', undefined, { cause: error })
  return translate(error)
}

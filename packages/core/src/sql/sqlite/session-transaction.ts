import { ClienteleError } from '../../errors.ts'
import type { HostTransaction } from '../../repository.ts'
import type { CompiledQuery, OpenTransaction } from '../db.ts'
import { type HostSession, invalidHandle } from '../host-sessions/host-session.ts'
import { translate } from './faults.ts'
import { type HostFile, isSameFile } from './host-file.ts'

export interface SessionTransactionOptions {
  session: HostSession
  own: HostFile
  /** The handles that have been seen to speak to our file */
  known: WeakSet<object>
  /** Whether somebody has written what is not committed yet */
  isBeingWritten(): boolean | Promise<boolean>
}

export const selectFile =
  "select file, foreign_keys from pragma_database_list, pragma_foreign_keys where name = 'main'"

/** What `selectFile` answers with */
export function fileOf(row: unknown): { name: string; memory: boolean } {
  const file: unknown = Reflect.get(Object(row), 'file')
  const name = typeof file === 'string' ? file : ''
  return { name, memory: name === '' }
}

/** A transaction on SQLite that a library of the host's has begun, and holds. */
export class SqliteSessionTransaction implements OpenTransaction {
  readonly #options: SessionTransactionOptions

  constructor(options: SessionTransactionOptions) {
    this.#options = options
  }

  query(step: CompiledQuery): Promise<unknown[]> {
    return this.#send(step)
  }

  /** A library's handle has one transaction alone. */
  pin(): this {
    return this
  }

  async settle(): Promise<void> {}

  async enter(name: string): Promise<void> {
    const { known, session } = this.#options
    const { handle } = session
    if (!known.has(handle)) await this.#assertSameFile()
    await this.#assertOpen()
    known.add(handle)
    await this.save(name)
  }

  async save(name: string): Promise<void> {
    await this.#run(`savepoint ${name}`)
  }

  async release(name: string): Promise<void> {
    await this.#run(`release ${name}`)
  }

  async undo(name: string): Promise<void> {
    try {
      await this.#run(`rollback to ${name}`)
    } catch (error) {
      // A full disk has undone all of it.
      if (!(error instanceof Error && error.message.includes('no such savepoint'))) throw error
    }
  }

  follow(): ReturnType<HostTransaction['follow']> {
    const { own, isBeingWritten } = this.#options
    return async (isVisible) => {
      // On our own connection we see what is not committed yet.
      if (own.inTransaction) return 'open'
      if (await isVisible()) return 'committed'
      // It has written: until its end nobody else can.
      if (await isBeingWritten()) return 'open'
      return (await isVisible()) ? 'committed' : 'rolled_back'
    }
  }

  async #assertSameFile(): Promise<void> {
    const [row] = await this.#run(selectFile)
    if (!isSameFile(this.#options.own, fileOf(row))) throw new ClienteleError('transaction_foreign')
    // It cannot be turned on inside a transaction, and without it what belongs to a user would outlive the user.
    if (Number(Reflect.get(Object(row), 'foreign_keys')) !== 1)
      throw invalidHandle('Turn foreign keys on before the transaction: pragma foreign_keys = on.')
  }

  /** Outside of a transaction a savepoint would begin one. SQLite tells by a setting that it leaves alone inside. */
  async #assertOpen(): Promise<void> {
    await this.#run('pragma foreign_keys = off')
    const [row] = await this.#run('pragma foreign_keys')
    if (Number(Reflect.get(Object(row), 'foreign_keys')) !== 1) {
      await this.#run('pragma foreign_keys = on')
      throw new ClienteleError('transaction_required')
    }
    const { own } = this.#options
    // A database in memory is ours only on our connection.
    if (own.memory && own.inTransaction === false) throw new ClienteleError('transaction_foreign')
  }

  #run(sql: string): Promise<unknown[]> {
    return this.#send({ sql, parameters: [] })
  }

  async #send(step: CompiledQuery): Promise<unknown[]> {
    try {
      return await this.#options.session.query(step)
    } catch (error) {
      // PostgreSQL's codes
      const code: unknown = Reflect.get(Object(error), 'code')
      if (typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && /\d/.test(code))
        throw new ClienteleError('transaction_foreign', undefined, { cause: error })
      throw translate(error)
    }
  }
}

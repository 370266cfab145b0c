import { ClienteleError } from '../base/errors.ts'
import type { OpenTransaction, StatementRunner } from './driver.ts'
import type { CompiledQuery, Transaction } from './statement.ts'

const callName = 'clientele_call'
const writeName = 'clientele_write'

/**
 * Runs the statements of a call in a transaction that the host has opened; one call at a time. A savepoint protects the
 * transaction: after a failed call it is as it was before, and usable. The savepoint is set with the first statement, so
 * that slow work before it, such as hashing a password, holds no lock.
 */
export class JoinedRunner implements StatementRunner {
  readonly features: StatementRunner['features']
  readonly dialect: StatementRunner['dialect']
  readonly schema: string | undefined
  readonly #driver: StatementRunner
  #transaction: OpenTransaction | undefined
  #saved: Promise<void> | undefined
  /** The last write. The next one waits for it: savepoints of simultaneous writes would overlap. */
  #lastWrite: Promise<unknown> = Promise.resolve()
  #hasWritten = false

  constructor(driver: StatementRunner) {
    this.features = driver.features
    this.dialect = driver.dialect
    this.schema = driver.schema
    this.#driver = driver
  }

  /** Runs a call. If it fails, everything that it wrote is rolled back. */
  async run<T>(transaction: OpenTransaction, call: () => Promise<T>): Promise<T> {
    this.#transaction = transaction
    this.#hasWritten = false
    try {
      const result = await call()
      if (this.#saved !== undefined) await transaction.release(callName)
      return result
    } catch (error) {
      await this.#undo(transaction)
      throw error
    } finally {
      this.#transaction = undefined
      this.#saved = undefined
    }
  }

  async query(step: CompiledQuery): Promise<unknown[]> {
    const transaction = await this.#join()
    if (step.sql.startsWith('select ')) return transaction.query(step)
    return this.#write(transaction, () => transaction.query(step))
  }

  async transact<T>(work: () => Transaction<T>, { snapshot = false } = {}): Promise<T> {
    if (snapshot) throw new Error('Only the host can set the isolation level of its transaction.')
    const transaction = await this.#join()
    return this.#write(transaction, async () => {
      const steps = work()
      let next = steps.next()
      while (!next.done) next = steps.next(await transaction.query(next.value))
      return next.value
    })
  }

  assertSeesLatest(): void {
    if (this.#transaction?.keepsSnapshot)
      throw new ClienteleError(
        'transaction_invalid',
        'This call ends what others may have opened since the transaction began: begin it as read committed, or call outside of it.',
      )
  }

  migrationLock(): CompiledQuery[] {
    return this.#driver.migrationLock()
  }

  isLockTimeout(error: unknown): boolean {
    return this.#driver.isLockTimeout?.(error) ?? false
  }

  async #join(): Promise<OpenTransaction> {
    const transaction = this.#transaction
    if (transaction === undefined) throw new Error('The call of this statement has ended.')
    this.#saved ??= transaction.enter(callName)
    await this.#saved
    return transaction
  }

  /**
   * Undoes a write that fails, so that the call may go on. For the first write the savepoint of the call is enough; each
   * later one has a savepoint of its own.
   */
  #write<T>(transaction: OpenTransaction, work: () => Promise<T>): Promise<T> {
    const done = this.#lastWrite.then(async () => {
      const name = this.#hasWritten ? writeName : callName
      if (this.#hasWritten) await transaction.save(name)
      try {
        const result = await work()
        if (this.#hasWritten) await transaction.release(name)
        this.#hasWritten = true
        return result
      } catch (error) {
        await undo(transaction, name)
        throw error
      }
    })
    this.#lastWrite = done.catch(() => {})
    return done
  }

  async #undo(transaction: OpenTransaction): Promise<void> {
    // Without a savepoint nothing was written. If setting it failed, that fault is already being thrown.
    const isSaved = await this.#saved?.then(
      () => true,
      () => false,
    )
    if (isSaved) await undo(transaction, callName)
  }
}

/** @throws ClienteleError `transaction_failed` when the statement's fate is unknown: the host must not commit it */
async function undo(transaction: OpenTransaction, name: string): Promise<void> {
  try {
    await transaction.undo(name)
  } catch (error) {
    if (error instanceof ClienteleError && error.code.startsWith('transaction_')) throw error
    throw new ClienteleError(
      'transaction_failed',
      'A failed call could not be undone: roll the transaction back.',
      { cause: error },
    )
  }
}

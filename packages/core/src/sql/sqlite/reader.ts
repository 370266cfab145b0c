import { resolve } from 'node:path'
import type { CompiledQuery } from '../statement.ts'
import { ReadLanes } from './read-lanes.ts'
import { ReaderThreads } from './reader-threads.ts'

/**
 * Reads a SQLite file in threads of its own, which the first reads start. better-sqlite3 is synchronous: a walk through a
 * large account would block all other requests.
 */
export class SqliteReader {
  /** The absolute path of the file */
  readonly filename: string
  readonly #threads: ReaderThreads
  readonly #lanes = new ReadLanes()

  constructor(filename: string) {
    // Resolved now: a thread starts later, when the current folder may be another one.
    this.filename = resolve(filename)
    this.#threads = new ReaderThreads(this.filename)
  }

  get isClosed(): boolean {
    return this.#threads.isClosed
  }

  /**
   * Sees everything that was committed before the call.
   *
   * @throws ReaderGone; ClienteleError `overloaded` when too many reads of the account wait; the statement's fault
   */
  async read(accountId: string, step: CompiledQuery): Promise<unknown[]> {
    const { rows } = await this.#lanes.run(
      accountId,
      () => this.#threads.open(),
      () => this.#threads.ask(step),
    )
    return rows
  }

  /** Copies as much of the write-ahead log into the file as it can: all, unless an account's first slow read is under way. */
  copyLog(): Promise<void> {
    return this.#lanes.runAlone(async () => {
      await this.#threads.ask('copy the log')
    })
  }

  /** The next read opens the file again. */
  renew(): Promise<void> {
    return this.#threads.renew()
  }

  /** Ends the threads: waiting reads fail with ReaderGone, and no later read starts another thread. */
  close(): Promise<void> {
    return this.#threads.close()
  }
}

import { once } from 'node:events'
import { resolve } from 'node:path'
import { Worker } from 'node:worker_threads'
import { FairLimit } from '../../base/runtime/fair-limit.ts'
import type { CompiledQuery } from '../db.ts'
import type { ReaderAnswer } from './reader-thread.ts'

/** Where the build puts it, from this file, which is then one folder further up */
const threadPath = './sql/sqlite/reader-thread.js'

/** Whoever would wait for longer behind others of the same account is refused. */
const maxWaitMs = 10_000
/** How much the latest read counts in the mean */
const weight = 0.1

/** The thread is not there: it could not be started, or has ended. */
export class ReaderGone extends Error {
  override readonly name = 'ReaderGone'
}

/**
 * Reads a SQLite file in a thread of its own, which is started by the first read. better-sqlite3 answers at once or
 * not at all: what walks a large account would keep everybody else waiting. Accounts take turns.
 */
export class SqliteReader {
  readonly #filename: string
  readonly #turns = new FairLimit({
    atOnce: 1,
    maxWaiting: () => maxWaitMs / this.#meanMs,
    retryAfterSeconds: 2,
  })
  /** How long a read takes, the latest ones counting most; at first a guess */
  #meanMs = 10
  #worker: Worker | undefined
  #isClosed = false

  constructor(filename: string) {
    // The thread is started later, and the current folder may be another one then.
    this.#filename = resolve(filename)
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  /**
   * Sees what was committed before it was asked.
   *
   * @throws ReaderGone; ClienteleError `overloaded` when too many reads of the account wait; what the statement fails with
   */
  read(accountId: string, step: CompiledQuery): Promise<unknown[]> {
    return this.#turns.run(accountId, async () => {
      const worker = this.#start()
      // Only while it reads does it keep the process alive.
      worker.ref()
      try {
        const answer = await ask(worker, step)
        if ('rows' in answer) {
          this.#meanMs += weight * (answer.milliseconds - this.#meanMs)
          return answer.rows
        }
        throw Object.assign(new Error(answer.message), { code: answer.code })
      } finally {
        worker.unref()
      }
    })
  }

  /** Lets the next read open the file anew. */
  async renew(): Promise<void> {
    const worker = this.#worker
    this.#worker = undefined
    await worker?.terminate()
  }

  /** Ends the thread; those who still wait for it are told that it is gone, and none starts another. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.renew()
  }

  #start(): Worker {
    if (this.#isClosed) throw new ReaderGone('The file has been closed.')
    if (this.#worker === undefined) {
      const worker = startThread(this.#filename)
      // Whoever waits for an answer hears of a fault; without a listener it would end the process.
      worker.on('error', () => {})
      worker.on('exit', () => {
        if (this.#worker === worker) this.#worker = undefined
      })
      this.#worker = worker
    }
    return this.#worker
  }
}

function startThread(filename: string): Worker {
  try {
    return new Worker(new URL(threadPath, import.meta.url), { workerData: { filename } })
  } catch (error) {
    // Node may be told to allow no threads, and a bundle may not know where it is.
    throw new ReaderGone('No thread can be started.', { cause: error })
  }
}

async function ask(worker: Worker, step: CompiledQuery): Promise<ReaderAnswer> {
  const done = new AbortController()
  const { signal } = done
  try {
    const answered = once(worker, 'message', { signal })
    const ended = once(worker, 'exit', { signal }).then(() => {
      throw new ReaderGone('The thread has ended.')
    })
    ended.catch(() => {})
    worker.postMessage(step)
    const [answer] = await Promise.race([answered, ended])
    return answer
  } catch (error) {
    if (error instanceof ReaderGone) throw error
    throw new ReaderGone('The thread has failed.', { cause: error })
  } finally {
    done.abort()
  }
}

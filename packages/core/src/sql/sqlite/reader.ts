import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { FairLimit } from '../../passwords/fair-limit.ts'
import type { CompiledQuery } from '../db.ts'
import type { ReaderAnswer } from './reader-thread.ts'

/** Where the build puts it: this file is then one folder further up. */
const threadUrl = new URL('./sql/sqlite/reader-thread.js', import.meta.url)

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
  readonly #mutex = new FairLimit({ atOnce: 1, maxWaiting: 100, retryAfterSeconds: 2 })
  #worker: Worker | undefined

  constructor(filename: string) {
    this.#filename = filename
  }

  /**
   * Sees what was committed before it was asked.
   *
   * @throws ReaderGone; ClienteleError `overloaded` when too many reads of the account wait; what the statement fails with
   */
  read(accountId: string, step: CompiledQuery): Promise<unknown[]> {
    return this.#mutex.run(accountId, async () => {
      const worker = this.#start()
      // Only while it reads does it keep the process alive.
      worker.ref()
      try {
        const answer = await ask(worker, step)
        if ('rows' in answer) return answer.rows
        throw Object.assign(new Error(answer.message), { code: answer.code })
      } finally {
        worker.unref()
      }
    })
  }

  async close(): Promise<void> {
    await this.#worker?.terminate()
  }

  #start(): Worker {
    if (this.#worker === undefined) {
      const worker = new Worker(threadUrl, { workerData: { filename: this.#filename } })
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

import { once } from 'node:events'
import { resolve } from 'node:path'
import { Worker } from 'node:worker_threads'
import { FairLimit } from '../../base/runtime/fair-limit.ts'
import type { CompiledQuery } from '../statement.ts'
import type { ReaderAnswer, ReaderTask, Rows } from './reader-thread.ts'

/** The path of the thread's file in the build, relative to this file, which is then one folder further up */
const threadPath = './sql/sqlite/reader-thread.js'

/**
 * Of the thread's heap, in MiB: by default its space for new objects alone grows to 48, and garbage is collected late. What
 * is read soon leaves it: a page has a few at most.
 */
const resourceLimits = { maxYoungGenerationSizeMb: 8, maxOldGenerationSizeMb: 96 }

/** A read that would wait longer than this behind others of its account is refused. */
const maxWaitMs = 10_000
/** The weight of the latest read in the average */
const weight = 0.1

interface Thread {
  worker: Worker
  /** Rejects with ReaderGone */
  opened: Promise<unknown>
}

/** The thread could not be started or has ended. */
export class ReaderGone extends Error {
  override readonly name = 'ReaderGone'
}

/**
 * Reads a SQLite file in its own thread, which the first read starts. better-sqlite3 is synchronous: a walk through a
 * large account would block all other requests. Accounts take turns.
 */
export class SqliteReader {
  /** The absolute path of the file */
  readonly filename: string
  readonly #turns = new FairLimit({
    atOnce: 1,
    maxWaiting: () => maxWaitMs / this.#meanMs,
    retryAfterSeconds: 2,
  })
  /** The average duration of a read, weighted to the latest ones; initially a guess */
  #meanMs = 10
  #thread: Thread | undefined
  #isClosed = false

  constructor(filename: string) {
    // Resolved now: the thread starts later, when the current folder may be another one.
    this.filename = resolve(filename)
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  /**
   * Sees everything that was committed before the call.
   *
   * @throws ReaderGone; ClienteleError `overloaded` when too many reads of the account wait; the statement's fault
   */
  read(accountId: string, step: CompiledQuery): Promise<unknown[]> {
    return this.#turns.run(accountId, async () => {
      const { rows, milliseconds } = await this.#ask(step)
      this.#meanMs += weight * (milliseconds - this.#meanMs)
      return rows
    })
  }

  /** Copies as much of the write-ahead log into the file as it can without waiting for others. */
  copyLog(): Promise<void> {
    return this.#turns.run('', async () => {
      await this.#ask('copy the log')
    })
  }

  async #ask(task: ReaderTask): Promise<Rows> {
    const thread = this.#start()
    const { worker, opened } = thread
    // The thread keeps the process alive only while it works.
    worker.ref()
    try {
      await opened
      const answer = await ask(worker, task)
      if ('rows' in answer) return answer
      throw Object.assign(new Error(answer.message), { code: answer.code })
    } finally {
      // The end of a thread is waited for.
      if (thread === this.#thread) worker.unref()
    }
  }

  /** The next read opens the file again. */
  async renew(): Promise<void> {
    const thread = this.#thread
    this.#thread = undefined
    if (thread === undefined) return
    thread.worker.ref()
    // A thread that is ended while it loads better-sqlite3 ends the process.
    await thread.opened.catch(() => {})
    await thread.worker.terminate()
  }

  /** Ends the thread: waiting reads fail with ReaderGone, and no later read starts another thread. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.renew()
  }

  #start(): Thread {
    if (this.#isClosed) throw new ReaderGone('The file has been closed.')
    if (this.#thread === undefined) {
      const worker = startThread(this.filename)
      // Waiting reads receive the fault; without a listener it would end the process.
      worker.on('error', () => {})
      const opened = hear(worker)
      opened.catch(() => {})
      const thread = { worker, opened }
      worker.on('exit', () => {
        if (this.#thread === thread) this.#thread = undefined
      })
      this.#thread = thread
    }
    return this.#thread
  }
}

function startThread(filename: string): Worker {
  try {
    const options = { workerData: { filename }, resourceLimits }
    return new Worker(new URL(threadPath, import.meta.url), options)
  } catch (error) {
    // Node may forbid threads, and a bundle may lack the file.
    throw new ReaderGone('No thread can be started.', { cause: error })
  }
}

function ask(worker: Worker, task: ReaderTask): Promise<ReaderAnswer> {
  const answered = hear(worker)
  worker.postMessage(task)
  return answered as Promise<ReaderAnswer> // by reader-thread.ts
}

/** The next message of the thread. */
async function hear(worker: Worker): Promise<unknown> {
  const done = new AbortController()
  const { signal } = done
  try {
    const heard = once(worker, 'message', { signal })
    const ended = once(worker, 'exit', { signal }).then(() => {
      throw new ReaderGone('The thread has ended.')
    })
    ended.catch(() => {})
    const [message] = await Promise.race([heard, ended])
    return message
  } catch (error) {
    if (error instanceof ReaderGone) throw error
    throw new ReaderGone('The thread has failed.', { cause: error })
  } finally {
    done.abort()
  }
}

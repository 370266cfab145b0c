import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { ReaderAnswer, ReaderTask, Rows } from './reader-thread.ts'

/** The path of the thread's file in the build, relative to this file, which is then one folder further up */
const threadPath = './sql/sqlite/reader-thread.js'

/**
 * Of a thread's heap, in MiB: by default its space for new objects alone grows to 48, and garbage is collected late. What
 * is read soon leaves it: a page has a few at most.
 */
const resourceLimits = { maxYoungGenerationSizeMb: 8, maxOldGenerationSizeMb: 96 }

interface Thread {
  worker: Worker
  /** Rejects with ReaderGone */
  opened: Promise<unknown>
  isBusy: boolean
}

/** A thread could not be started or has ended. */
export class ReaderGone extends Error {
  override readonly name = 'ReaderGone'
}

/** Threads that read a SQLite file, each on its own connection. One is started when a task comes and none is free. */
export class ReaderThreads {
  readonly #filename: string
  readonly #threads = new Set<Thread>()
  #isClosed = false

  /** @param filename the absolute path of the file */
  constructor(filename: string) {
    this.#filename = filename
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  /**
   * Resolves when a thread is ready for the next task.
   *
   * @throws ReaderGone
   */
  async open(): Promise<void> {
    const thread = this.#findFree()
    thread.worker.ref()
    try {
      await thread.opened
    } finally {
      this.#unref(thread)
    }
  }

  /** @throws ReaderGone; the statement's fault */
  async ask(task: ReaderTask): Promise<Rows> {
    const thread = this.#findFree()
    const { worker, opened } = thread
    thread.isBusy = true
    // A thread keeps the process alive only while it works.
    worker.ref()
    try {
      await opened
      const answer = await ask(worker, task)
      if ('rows' in answer) return answer
      throw Object.assign(new Error(answer.message), { code: answer.code })
    } finally {
      thread.isBusy = false
      this.#unref(thread)
    }
  }

  /** The next tasks open the file again. */
  async renew(): Promise<void> {
    const threads = [...this.#threads]
    this.#threads.clear()
    await Promise.all(
      threads.map(async ({ worker, opened }) => {
        worker.ref()
        // A thread that is ended while it loads better-sqlite3 ends the process.
        await opened.catch(() => {})
        await worker.terminate()
      }),
    )
  }

  /** Ends the threads: tasks fail with ReaderGone, and no later one starts another thread. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.renew()
  }

  #unref(thread: Thread): void {
    // The end of a thread is waited for.
    if (!thread.isBusy && this.#threads.has(thread)) thread.worker.unref()
  }

  #findFree(): Thread {
    if (this.#isClosed) throw new ReaderGone('The file has been closed.')
    for (const thread of this.#threads) if (!thread.isBusy) return thread
    const worker = startThread(this.#filename)
    // Waiting tasks receive the fault; without a listener it would end the process.
    worker.on('error', () => {})
    const opened = hear(worker)
    opened.catch(() => {})
    const thread = { worker, opened, isBusy: false }
    worker.on('exit', () => this.#threads.delete(thread))
    this.#threads.add(thread)
    return thread
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

import { channel } from 'node:diagnostics_channel'
import type { Worker } from 'node:worker_threads'
import { onTestFinished } from 'vitest'

/** The threads that are started from now on. */
export function watchThreads(): Worker[] {
  const threads: Worker[] = []
  const note = (message: unknown): void => {
    threads.push((message as { worker: Worker }).worker) // as Node's documentation has it
  }
  const started = channel('worker_threads')
  started.subscribe(note)
  onTestFinished(() => {
    started.unsubscribe(note)
  })
  return threads
}

/** -1 is what a thread has that has ended. */
export const idsOf = (threads: readonly Worker[]) => threads.map(({ threadId }) => threadId)

import { setTimeout as sleep } from 'node:timers/promises'

/** The pause in milliseconds. */
const pauseMs = 10

/**
 * The pause between two parts of a long write. Another process that wants to write on SQLite tries again after a while, and
 * would find the file locked each time.
 */
export async function letOthersWrite(): Promise<void> {
  await sleep(pauseMs)
}

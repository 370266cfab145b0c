import { stat } from 'node:fs/promises'

/** A shorter write-ahead log is left as it is. */
const minLogBytes = 4 * 1024 * 1024
/** The log is copied after this many commits, or this time after a commit, in milliseconds */
const commitsBetween = 20
const delayMs = 1_000

/**
 * Has the write-ahead log of a SQLite file copied into the file from time to time (a checkpoint), outside of the event
 * loop. SQLite does it within a commit, which then takes as long as the disk needs for thousands of pages.
 */
export class LogCopies {
  readonly #log: string
  readonly #copy: () => Promise<void>
  #commits = 0
  #timer: NodeJS.Timeout | undefined
  #isCopying = false

  /** @param filename of the database */
  constructor(filename: string, copy: () => Promise<void>) {
    this.#log = `${filename}-wal`
    this.#copy = copy
  }

  noteCommit(): void {
    if (++this.#commits >= commitsBetween) void this.#begin()
    else this.#timer ??= setTimeout(() => void this.#begin(), delayMs).unref()
  }

  close(): void {
    clearTimeout(this.#timer)
  }

  async #begin(): Promise<void> {
    if (this.#isCopying) return
    this.#isCopying = true
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#commits = 0
    try {
      const { size } = await stat(this.#log)
      if (size >= minLogBytes) await this.#copy()
    } catch {
      // A commit copies a log that has become too long.
    }
    this.#isCopying = false
  }
}

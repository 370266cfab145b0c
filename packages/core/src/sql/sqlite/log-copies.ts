import { stat } from 'node:fs/promises'

/** A shorter write-ahead log is left as it is. */
const minLogBytes = 4 * 1024 * 1024
/** The log is copied after this many commits, or this time after a commit, in milliseconds */
const commitsBetween = 20
const delayMs = 1_000
/** Work in parts, each of which may write a megabyte and more, waits for a copy after this many */
const partsBetween = 4

/**
 * Has the write-ahead log of a SQLite file copied into the file from time to time (a checkpoint), outside of the event
 * loop. SQLite does it within a commit, which then takes as long as the disk needs for thousands of pages.
 */
export class LogCopies {
  readonly #log: string
  readonly #copy: () => Promise<void>
  #commits = 0
  #parts = 0
  #timer: NodeJS.Timeout | undefined
  #copying: Promise<void> | undefined

  /** @param filename of the database */
  constructor(filename: string, copy: () => Promise<void>) {
    this.#log = `${filename}-wal`
    this.#copy = copy
  }

  noteCommit(): void {
    if (++this.#commits >= commitsBetween) void this.#begin()
    else this.#timer ??= setTimeout(() => void this.#begin(), delayMs).unref()
  }

  /** Resolves when the log does not grow faster than it is copied. */
  async rest(): Promise<void> {
    if (++this.#parts < partsBetween) return this.#copying
    this.#parts = 0
    await this.#begin()
  }

  close(): void {
    clearTimeout(this.#timer)
  }

  #begin(): Promise<void> {
    this.#copying ??= this.#copyLong().finally(() => {
      this.#copying = undefined
    })
    return this.#copying
  }

  async #copyLong(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#commits = 0
    try {
      const { size } = await stat(this.#log)
      if (size >= minLogBytes) await this.#copy()
    } catch {
      // A commit copies a log that has become too long.
    }
  }
}

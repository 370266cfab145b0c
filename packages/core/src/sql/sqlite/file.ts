import { chmodSync, closeSync, openSync, readSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { ClienteleError } from '../../base/errors.ts'

/** How long a look at the file is good for where nothing is written, in milliseconds. */
const freshForMs = 1000

/**
 * Sees to it that nobody but its owner may read the file. SQLite gives `-wal` and `-shm` the rights of the file itself.
 * One that only a group may read has been given to that group, and stays as it is.
 */
export function makePrivate(filename: string): void {
  try {
    // SQLite would make it with the rights that the process gives to every file.
    closeSync(openSync(filename, 'wx', 0o600))
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
  }
  // A folder, a device or a file of something else, which was named by mistake, stays as it is.
  if (!isDatabase(filename)) return
  for (const name of [filename, `${filename}-wal`, `${filename}-shm`]) {
    const found = statSync(name, { throwIfNoEntry: false })
    if (!found?.isFile() || (found.mode & 0o007) === 0) continue
    try {
      chmodSync(name, 0o600)
    } catch (error) {
      // It belongs to another user, who decides.
      if (codeOf(error) !== 'EPERM') throw error
    }
  }
}

const signature = 'SQLite format 3\0'

/** Whether it is a plain file that is empty, or begins as every database of SQLite does. */
function isDatabase(filename: string): boolean {
  const found = statSync(filename)
  if (!found.isFile()) return false
  if (found.size === 0) return true
  const file = openSync(filename, 'r')
  try {
    const start = Buffer.alloc(signature.length)
    readSync(file, start, 0, start.length, 0)
    return start.toString('latin1') === signature
  } finally {
    closeSync(file)
  }
}

/**
 * Knows whether the file that was opened is still where it was. SQLite does not ask: it goes on reading and writing a
 * file that has been removed or replaced, until the process ends and everything is gone.
 */
export class SqliteFile {
  readonly #path: string
  readonly #opened: string | undefined
  #isThere = true
  #seenAt = Number.NEGATIVE_INFINITY

  constructor(filename: string) {
    this.#path = resolve(filename)
    this.#opened = identify(this.#path)
  }

  /**
   * For reads looks at most once a second; `isFresh` looks now.
   *
   * @throws ClienteleError `storage_unavailable`
   */
  assertThere(isFresh: boolean): void {
    if (this.#opened === undefined) return
    const now = performance.now()
    if (isFresh || !this.#isThere || now - this.#seenAt >= freshForMs) {
      this.#isThere = identify(this.#path) === this.#opened
      this.#seenAt = now
    }
    if (this.#isThere) return
    throw new ClienteleError('storage_unavailable', undefined, {
      cause: new Error(
        'The SQLite file was removed or replaced while it was open. Put it back, or start again with the new one.',
      ),
      retryAfterSeconds: 1,
    })
  }
}

/** What tells a file from any other that has its name; undefined where it cannot be found. */
function identify(path: string): string | undefined {
  try {
    const found = statSync(path, { throwIfNoEntry: false })
    return found && `${found.dev} ${found.ino}`
  } catch {
    // A folder on the way is gone, or no longer one.
    return undefined
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}

import { chmodSync, closeSync, openSync, readSync, realpathSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { ClienteleError } from '../../base/errors.ts'
import { systemCode } from '../../base/runtime/system-code.ts'

/** How long a check of the file is valid for reads, in milliseconds. */
const freshForMs = 1000

/**
 * Makes the file readable by its owner only. SQLite gives `-wal` and `-shm` the same permissions. A file that a group
 * may read stays as it is: an operator has set that.
 */
export function makePrivate(filename: string): void {
  try {
    // SQLite would create it with the process's default permissions.
    closeSync(openSync(filename, 'wx', 0o600))
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error
  }
  // A folder, a device or another file that was named by mistake stays as it is.
  if (!isDatabase(filename)) return
  // SQLite has the others beside the file itself, not beside a link to it.
  const file = realpathSync(filename)
  for (const name of [file, `${file}-wal`, `${file}-shm`]) {
    const found = statSync(name, { throwIfNoEntry: false })
    if (!found?.isFile() || (found.mode & 0o007) === 0) continue
    try {
      chmodSync(name, 0o600)
    } catch (error) {
      // It belongs to another user, who decides.
      if (systemCode(error) !== 'EPERM') throw error
    }
  }
}

const signature = 'SQLite format 3\0'

/** Whether it is a regular file that is empty or has SQLite's signature. */
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
 * Detects that the opened file, or its log, was removed or replaced. SQLite does not check that: it would go on reading and
 * writing a removed file until the process ends, and all of it would be lost.
 */
export class SqliteFile {
  readonly #path: string
  readonly #opened: string | undefined
  /** Undefined: the owner of the connection may end the log */
  readonly #logPath: string | undefined
  /** Undefined: not there yet */
  #log: string | undefined
  #isThere = true
  #seenAt = Number.NEGATIVE_INFINITY

  constructor(filename: string, { hasLog }: { hasLog: boolean }) {
    this.#path = resolve(filename)
    this.#opened = identify(this.#path)
    if (hasLog) this.#logPath = `${realpathSync(this.#path)}-wal`
  }

  /**
   * Reads check at most once a second; `isFresh` checks now.
   *
   * @throws ClienteleError `storage_unavailable`
   */
  assertThere(isFresh: boolean): void {
    if (this.#opened === undefined) return
    const now = performance.now()
    if (isFresh || !this.#isThere || now - this.#seenAt >= freshForMs) {
      this.#isThere = identify(this.#path) === this.#opened && this.#isLogThere()
      this.#seenAt = now
    }
    if (this.#isThere) return
    throw new ClienteleError('storage_unavailable', undefined, {
      cause: new Error(
        'The SQLite file, or its -wal, was removed or replaced while it was open. Put the file back, or start again with the new one. If only the -wal is gone, stop this process with SIGTERM: it writes its content into the file.',
      ),
      retryAfterSeconds: 1,
    })
  }

  #isLogThere(): boolean {
    if (this.#logPath === undefined) return true
    const found = identify(this.#logPath)
    this.#log ??= found
    return found === this.#log
  }
}

/** Identifies the file among all files that ever have its name; undefined when it is missing. */
function identify(path: string): string | undefined {
  try {
    const found = statSync(path, { throwIfNoEntry: false })
    return found && `${found.dev} ${found.ino}`
  } catch {
    // A folder of its path is gone, or is no folder any more.
    return undefined
  }
}

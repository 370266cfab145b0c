import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { ClienteleError } from '../../base/errors.ts'
import type { SqliteConnection } from './connection.ts'
import { needsOldSecret } from './needs-old-secret.ts'

/** The secret that we make has 43 characters: a much shorter one was cut off. */
const minLength = 32
/** A secret is a line. */
const maxBytes = 4096
const howToMend =
  'Put the file back from a copy, or set CLIENTELE_SECRET (secrets) to the secret that was used before. Without that ' +
  'secret, what was encrypted under it is lost.'

export interface LocalSecret {
  secret: string
  /** The file, where it was made just now */
  madeFile?: string
  /** The file, where everybody on the machine could read it until now */
  openFile?: string
}

/**
 * Reads the secret from the file beside the database that only its owner may read; makes it on first use.
 *
 * @throws ClienteleError `secret_required` where the file is not there and must be, or the database needs the one that it
 * had, or the file has no secret
 */
export function readLocalSecret(connection: SqliteConnection, mustExist: boolean): LocalSecret {
  const fresh = randomBytes(32).toString('base64url')
  if (connection.memory) return { secret: fresh }
  const file = `${connection.name}.secret`
  if (existsSync(file)) return readSecret(file)
  if (mustExist)
    throw new ClienteleError('secret_required', `There is no file ${file} with the secret.`)
  // Another process may have made it, and encrypted by it, meanwhile.
  if (needsOldSecret(connection) && !existsSync(file)) throw lost(file)
  return makeSecret(file, fresh) ? { secret: fresh, madeFile: file } : readSecret(file)
}

function lost(file: string): ClienteleError {
  return new ClienteleError(
    'secret_required',
    `The database has keys that are encrypted under a secret, and there is no file ${file}. ${howToMend}`,
  )
}

/** Answers no where another process has made one meanwhile. */
function makeSecret(file: string, secret: string): boolean {
  const partial = `${file}.${randomBytes(6).toString('hex')}.partial`
  try {
    writeFileSync(partial, `${secret}\n`, { flag: 'wx', mode: 0o600, flush: true })
    const isMade = giveName(partial, file)
    // Else a power cut could take the name, and with the next start another secret would be made.
    if (isMade) syncFolder(dirname(file))
    return isMade
  } finally {
    rmSync(partial, { force: true })
  }
}

/** Of several processes that start at once one gives its file the name, and the others read that. */
function giveName(partial: string, file: string): boolean {
  try {
    linkSync(partial, file)
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
  }
  try {
    // A file system without links.
    writeFileSync(file, readFileSync(partial), { flag: 'wx', mode: 0o600, flush: true })
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  }
}

function syncFolder(folder: string): void {
  // Windows opens no folders.
  if (process.platform === 'win32') return
  const handle = openSync(folder, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

function readSecret(file: string): LocalSecret {
  const secret = readText(file)
  const refuse = (what: string): never => {
    throw new ClienteleError(
      'secret_required',
      `The file ${file} with the secret ${what}. ${howToMend}`,
    )
  }
  if (secret === '') refuse('is empty')
  // A NUL, another control character, or what is no UTF-8
  if (/[\p{Cc}\ufffd]/u.test(secret)) refuse('has bytes that are no text')
  if (secret.length < minLength) refuse(`has fewer than ${minLength} characters: it was cut off`)
  return shut(file) ? { secret, openFile: file } : { secret }
}

function readText(file: string): string {
  try {
    const { size } = statSync(file)
    return size > maxBytes ? '\0' : readFileSync(file, 'utf8').trim()
  } catch (cause) {
    const message = `The file ${file} with the secret cannot be read.`
    throw new ClienteleError('secret_required', message, { cause })
  }
}

/** Whether everybody could read it. One that only a group may read has been given to that group, and stays as it is. */
function shut(file: string): boolean {
  if (process.platform === 'win32' || (statSync(file).mode & 0o007) === 0) return false
  try {
    chmodSync(file, 0o600)
  } catch (error) {
    // It belongs to another user, or cannot be written: a secret that was mounted.
    if (codeOf(error) !== 'EPERM' && codeOf(error) !== 'EROFS') throw error
  }
  return true
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}

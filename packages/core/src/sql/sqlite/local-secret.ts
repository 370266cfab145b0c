import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  linkSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { ClienteleError } from '../../base/errors.ts'
import { systemCode } from '../../base/runtime/system-code.ts'
import type { SqliteConnection } from './connection.ts'
import { syncFolder } from './folders.ts'
import { needsOldSecret } from './needs-old-secret.ts'

/** A secret that we generate has 43 characters: a much shorter one was truncated. */
const minLength = 32
/** A secret is one line. */
const maxBytes = 4096
const howToMend =
  'Put the file back from a copy, or set CLIENTELE_SECRET (secrets) to the secret that was used before. Without that ' +
  'secret the data that was encrypted under it is lost.'

export interface LocalSecret {
  secret: string
  /** The file, if it was created just now */
  madeFile?: string
  /** The file, if every user of the machine could read it until now */
  openFile?: string
}

/**
 * Reads the secret from the file beside the database, readable by its owner only; generates it on first use.
 *
 * @throws ClienteleError `secret_required` when a required file is missing, the database needs a lost secret, or the
 *   file holds no valid secret
 */
export function readLocalSecret(connection: SqliteConnection, mustExist: boolean): LocalSecret {
  const fresh = randomBytes(32).toString('base64url')
  if (connection.memory) return { secret: fresh }
  const file = `${connection.name}.secret`
  if (existsSync(file)) return readSecret(file, mustExist)
  if (mustExist)
    throw new ClienteleError('secret_required', `There is no file ${file} with the secret.`)
  // Meanwhile another process may have created the file and encrypted data under its secret.
  if (needsOldSecret(connection) && !existsSync(file)) throw lost(file)
  return makeSecret(file, fresh) ? { secret: fresh, madeFile: file } : readSecret(file, mustExist)
}

function lost(file: string): ClienteleError {
  return new ClienteleError(
    'secret_required',
    `The database has keys that are encrypted under a secret, and there is no file ${file}. ${howToMend}`,
  )
}

/**
 * Creates the file and syncs its name, without which a power cut could lose it, and the next start would generate
 * another secret; returns false when another process has created it meanwhile.
 */
function makeSecret(file: string, secret: string): boolean {
  const partial = `${file}.${randomBytes(6).toString('hex')}.partial`
  try {
    writeFileSync(partial, `${secret}\n`, { flag: 'wx', mode: 0o600, flush: true })
    const isMade = giveName(partial, file)
    if (isMade) syncFolder(dirname(file))
    return isMade
  } finally {
    rmSync(partial, { force: true })
  }
}

/** If several processes start at once, one gives its file the name and the others read that file. */
function giveName(partial: string, file: string): boolean {
  try {
    linkSync(partial, file)
    return true
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false
  }
  try {
    // The file system has no hard links.
    writeFileSync(file, readFileSync(partial), { flag: 'wx', mode: 0o600, flush: true })
    return true
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false
    throw error
  }
}

function readSecret(file: string, isReadOnly: boolean): LocalSecret {
  const secret = readText(file)
  const refuse = (what: string): never => {
    throw new ClienteleError(
      'secret_required',
      `The file ${file} with the secret ${what}. ${howToMend}`,
    )
  }
  if (secret === '') refuse('is empty')
  // A NUL, another control character, or invalid UTF-8
  if (/[\p{Cc}\ufffd]/u.test(secret)) refuse('has bytes that are not text')
  if (secret.length < minLength) refuse(`has fewer than ${minLength} characters: it was cut off`)
  // The process that created it may have been killed before it synced the name.
  if (!isReadOnly) syncFolder(dirname(file))
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

/**
 * Whether every user of the machine can read it. A file that a group may read stays as it is: an operator has set that.
 */
function shut(file: string): boolean {
  if (process.platform === 'win32' || (statSync(file).mode & 0o007) === 0) return false
  try {
    chmodSync(file, 0o600)
  } catch (error) {
    // It belongs to another user, or is a read-only mounted secret.
    if (systemCode(error) !== 'EPERM' && systemCode(error) !== 'EROFS') throw error
  }
  return true
}

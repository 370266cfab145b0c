import { existsSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type Sqlite from 'better-sqlite3'
import { z } from 'zod'
import { ClienteleError } from '../base/errors.ts'
import { checkConfiguration, eitherOf, objectWith } from '../base/input/configuration.ts'
import { assertNodeVersion } from '../base/runtime/assert-node-version.ts'
import { systemCode } from '../base/runtime/system-code.ts'
import { loadDriver } from '../sql/load-driver.ts'
import { maxTimeLimitSeconds } from '../sql/max-time-limit.ts'
import type { SqliteConnection } from '../sql/sqlite/connection.ts'
import { SqliteDriver } from '../sql/sqlite/driver.ts'
import { makePrivate } from '../sql/sqlite/file.ts'
import { findNearest, makeFolders } from '../sql/sqlite/folders.ts'
import { readLocalSecret } from '../sql/sqlite/local-secret.ts'
import { createKyselyRepository } from './create-repository.ts'
import type { Repository } from './repository.ts'

export type SqliteOptions = {
  /**
   * How long a write waits for another process's write, in seconds, before it fails with `storage_unavailable`.
   * @default 5
   */
  lockTimeoutSeconds?: number
} & (
  | {
      /**
       * A path, or `:memory:`. Missing folders are created. The file is readable by its owner only (0600); a file that
       * every user may read is changed to that.
       */
      filename: string
      /**
       * Creates nothing: no file, folder or secret beside it; the file keeps its journal mode. For programs that only
       * inspect a database. @default false
       */
      fileMustExist?: boolean
    }
  | {
      /**
       * A better-sqlite3 connection of the host's own, which the host closes. Its busy_timeout and synchronous are
       * changed.
       */
      database: SqliteConnection
    }
)

const optionsSchema = eitherOf(
  'filename',
  'database',
  z.strictObject({
    lockTimeoutSeconds: z.number().min(0).max(maxTimeLimitSeconds).optional(),
    filename: z.string().min(1).optional(),
    fileMustExist: z.boolean().optional(),
    database: objectWith(['prepare', 'pragma'], 'a better-sqlite3 connection').optional(),
  }),
)

/**
 * Stores everything in one SQLite file, with better-sqlite3: WAL, synchronous FULL, so that acknowledged writes are on
 * disk. Several processes may open the same file.
 *
 * @throws ClienteleError `configuration_invalid` when an option is wrong, or the file cannot be opened or is not a
 *   database; `storage_unavailable` when another process has locked it
 *
 * @example
 * const clientele = await createClientele({ repository: sqlite({ filename: 'users.sqlite' }) })
 */
export function sqlite(options: SqliteOptions): Repository {
  assertNodeVersion()
  checkConfiguration(optionsSchema, options, "sqlite({ filename: 'users.sqlite' })")
  const { lockTimeoutSeconds = 5 } = options
  const isOwn = 'filename' in options
  const mustExist = isOwn && (options.fileMustExist ?? false)
  const connection = isOwn
    ? open(options.filename, mustExist, lockTimeoutSeconds)
    : options.database
  const driver = new SqliteDriver(connection, {
    ownsConnection: isOwn,
    lockTimeoutSeconds,
    keepsJournalMode: mustExist,
  })
  return createKyselyRepository(driver, {
    localSecret: () => readLocalSecret(connection, mustExist),
  })
}

function open(filename: string, mustExist: boolean, lockTimeoutSeconds: number): SqliteConnection {
  if (mustExist && filename !== ':memory:' && !existsSync(filename)) {
    throw new ClienteleError(
      'configuration_invalid',
      `There is no SQLite file ${resolve(filename)}.`,
    )
  }
  const Driver = loadDriver<typeof Sqlite>('better-sqlite3')
  try {
    if (filename !== ':memory:' && !mustExist) {
      makeFolders(dirname(resolve(filename)))
      makePrivate(filename)
    }
    return new Driver(filename, {
      timeout: lockTimeoutSeconds * 1000,
      fileMustExist: mustExist && filename !== ':memory:',
    })
  } catch (error) {
    const isForeign = systemCode(error) === 'ERR_DLOPEN_FAILED'
    const message = isForeign ? foreignDriver : describeUnopened(filename)
    throw new ClienteleError('configuration_invalid', message, { cause: error })
  }
}

const foreignDriver =
  `better-sqlite3 was built for another Node or another system than this one, Node ${process.versions.node}: ` +
  'npm rebuild better-sqlite3'

function describeUnopened(filename: string): string {
  const path = resolve(filename)
  try {
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) {
      return `${path} is a folder: name a file in it, as ${join(path, 'users.sqlite')}.`
    }
    const above = findNearest(dirname(path))
    if (above !== undefined && !statSync(above).isDirectory()) {
      return `The SQLite file ${path} cannot be opened: ${above} is not a folder.`
    }
    if (above !== dirname(path)) {
      return `The SQLite file ${path} cannot be opened: its folder is not there and cannot be made.`
    }
  } catch {
    // The original fault explains why the folder cannot be inspected.
  }
  return `The SQLite file ${path} cannot be opened.`
}

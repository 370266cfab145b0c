import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { describeServer, findDatabaseFile } from '@clientele/core/database-url'

/**
 * The file or the server of a `DATABASE_URL`, without user and password, before it is opened: `(new)` says that the file
 * is not there yet. A misspelt path would look like an empty database.
 */
export async function describeDatabase(url: string): Promise<string> {
  const file = findDatabaseFile(url)
  if (file !== undefined) return `${resolve(file)}${existsSync(file) ? '' : ' (new)'}`
  return describeServer(url)
}

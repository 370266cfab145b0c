import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { ClienteleError, type Repository } from '@clientele/core'
import { defaultDatabaseUrl, findDatabaseFile, openRepository } from '@clientele/core/database-url'

/** How a command uses the database: it creates a missing one, changes an existing one, or only reads. */
export type Access = 'make' | 'change' | 'look'

/**
 * Opens the database of `DATABASE_URL`. Commands that create something also create missing tables; all others report
 * missing tables and write nothing.
 *
 * @throws ClienteleError `configuration_invalid`, `migration_missing`, `storage_unavailable`
 */
export async function openDatabase(access: Access): Promise<Repository> {
  const url = process.env.DATABASE_URL?.trim() || defaultDatabaseUrl
  const file = access === 'make' ? findDatabaseFile(url) : undefined
  const newFile = file !== undefined && !existsSync(file) ? resolve(file) : undefined
  const repository = await openRepository(url, { fileMustExist: access !== 'make' })
  // A misspelt name would look like a success.
  if (newFile !== undefined) console.error(`A new database: ${newFile}`)
  if (access === 'make') return repository
  try {
    const missing = await repository.storage.missingMigrations()
    const isNew = missing[0]?.startsWith('0001-') ?? false
    // A command that writes first brings the schema up to date, as the server does.
    const isUsable = missing.length === 0 || (access === 'change' && !isNew)
    if (!isUsable) throw describeMissing(missing, isNew)
    return repository
  } catch (error) {
    await repository.storage.close()
    throw error
  }
}

function describeMissing(missing: string[], isNew: boolean): ClienteleError {
  const start = isNew ? 'The database has no tables of Clientele: it' : 'The database'
  return new ClienteleError('migration_missing', `${start} lacks ${missing.join(', ')}.`)
}

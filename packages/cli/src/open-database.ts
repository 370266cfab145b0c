import { ClienteleError, type Repository } from '@clientele/core'
import { defaultDatabaseUrl, openRepository } from '@clientele/core/database-url'

/** What a command does with the database: makes it where it is missing, changes what is there, or only looks. */
export type Access = 'make' | 'change' | 'look'

/**
 * Opens the database that `DATABASE_URL` names. What is missing is made by commands that make something; all others say
 * what is missing and write nothing.
 *
 * @throws ClienteleError `configuration_invalid`, `migration_missing`, `storage_unavailable`
 */
export async function openDatabase(access: Access): Promise<Repository> {
  const url = process.env.DATABASE_URL?.trim() || defaultDatabaseUrl
  const repository = await openRepository(url, { fileMustExist: access !== 'make' })
  if (access === 'make') return repository
  try {
    const missing = await repository.storage.missingMigrations()
    const isNew = missing[0]?.startsWith('0001-') ?? false
    if (isNew) throw noTables(missing)
    // What changes anything brings the schema up to date first, as the server does.
    if (access === 'look' && missing.length > 0) throw lacking(missing)
    return access === 'look' ? keepUnchanged(repository) : repository
  } catch (error) {
    await repository.storage.close()
    throw error
  }
}

function noTables(missing: string[]): ClienteleError {
  const message = `The database has no tables of Clientele: it lacks ${missing[0]} to ${missing.at(-1)}.`
  return new ClienteleError('migration_missing', message)
}

function lacking(missing: string[]): ClienteleError {
  return new ClienteleError('migration_missing', `The database lacks ${missing.join(', ')}.`)
}

/** Without what a start tidies up in passing: it waits for the next that changes something. */
function keepUnchanged(repository: Repository): Repository {
  const nothing = async (): Promise<void> => {}
  return {
    ...repository,
    signingKeys: { ...repository.signingKeys, deleteExpired: nothing, reencrypt: nothing },
    trustedIssuers: { ...repository.trustedIssuers, reencryptSecret: nothing },
    mfa: { ...repository.mfa, reencryptTotpSecrets: nothing },
  }
}

import { checkDatabaseUrl } from '@clientele/core/database-url'
import { findMisspelt } from './find-misspelt.ts'
import { checkPairs } from './mail-readers.ts'
import { type Setting, type Settings, settingTable } from './setting-table.ts'
import { SettingsError } from './settings-error.ts'

/**
 * Reads the environment; an empty variable counts as not set.
 *
 * @throws SettingsError with everything that is wrong
 */
export async function readSettings(environment: NodeJS.ProcessEnv): Promise<Settings> {
  const problems: string[] = []
  const isSet = (variable: string): boolean => Boolean(environment[variable]?.trim())
  const read = ({ variable, fallback, read }: Setting<unknown>): unknown => {
    const text = environment[variable]?.trim() || fallback
    if (text === undefined) return undefined
    try {
      return read(text)
    } catch (error) {
      problems.push(`${variable} ${error instanceof Error ? error.message : error}.`)
      return undefined
    }
  }
  const values = Object.entries(settingTable).map(([name, setting]) => [name, read(setting)])
  // Each setting has read its own member. An invalid one is undefined, and then the object is never returned.
  const settings = Object.fromEntries(values) as Settings
  if (settings.workers > 1 && settings.databaseUrl?.startsWith('sqlite:')) {
    problems.push(
      'WORKERS needs PostgreSQL: on SQLite one process writes at a time, and others would wait for it.',
    )
  }
  if (settings.databaseUrl !== undefined) {
    problems.push(...(await findUrlFault(settings)))
    if (!settings.databaseUrl.startsWith('sqlite:') && !isSet('CLIENTELE_SECRET')) {
      problems.push('CLIENTELE_SECRET must be set on PostgreSQL: openssl rand -base64 32.')
    }
  }
  problems.push(...checkPairs(isSet))
  if (settings.eventRetentionDays * 24 * 3600 < settings.tokenTtlSeconds) {
    problems.push('EVENT_RETENTION_DAYS must be at least as long as TOKEN_TTL.')
  }
  if (settings.logsMail && (settings.logLevel === 'error' || settings.logLevel === 'silent')) {
    problems.push('LOG_MAIL needs LOG_LEVEL warn, info or debug: mails are written as warnings.')
  }
  // A misspelt name is often the reason why another setting lacks something.
  if (problems.length > 0) throw new SettingsError(problems, findMisspelt(environment))
  return settings
}

async function findUrlFault({
  databaseUrl,
  replicaUrl,
  readsDirectly,
}: Pick<Settings, 'databaseUrl' | 'replicaUrl' | 'readsDirectly'>): Promise<string[]> {
  try {
    await checkDatabaseUrl(databaseUrl, { replicaUrl, directReads: readsDirectly })
    return []
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)]
  }
}

import { checkMailSettings } from './mail-readers.ts'
import { type Setting, type Settings, settingTable } from './setting-table.ts'
import { SettingsError } from './settings-error.ts'

/**
 * Reads the environment; a variable that is empty is one that is not set.
 *
 * @throws SettingsError with everything that is wrong
 */
export function readSettings(environment: NodeJS.ProcessEnv): Settings {
  const problems: string[] = []
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
  // Each member was read by the setting of its name; one that could not be is undefined, and this is thrown away.
  const settings = Object.fromEntries(values) as Settings
  if (settings.workers > 1 && settings.databaseUrl?.startsWith('sqlite:')) {
    problems.push(
      'WORKERS needs PostgreSQL: on SQLite one process writes at a time, and others would wait for it.',
    )
  }
  problems.push(...checkMailSettings((variable) => Boolean(environment[variable]?.trim())))
  if (problems.length > 0) throw new SettingsError(problems)
  return settings
}

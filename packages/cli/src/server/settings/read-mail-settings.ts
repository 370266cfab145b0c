import { readSettings } from './read-settings.ts'
import type { Settings } from './setting-table.ts'

/**
 * Reads the settings about mail alone, whatever the others are.
 *
 * @throws SettingsError
 */
export async function readMailSettings(environment: NodeJS.ProcessEnv): Promise<Settings> {
  const ofMail = Object.entries(environment).filter(([name]) => /^(SMTP|MAIL)_/.test(name))
  return readSettings(Object.fromEntries(ofMail))
}

import { findMisspelt } from '../server/settings/find-misspelt.ts'
import { readMailSettings } from '../server/settings/read-mail-settings.ts'
import { readSettings } from '../server/settings/read-settings.ts'
import type { Settings } from '../server/settings/setting-table.ts'
import { SettingsError } from '../server/settings/settings-error.ts'
import type { Finding } from './finding.ts'

const check = 'settings'
const advice = 'clientele serve --help lists the settings'

/** The settings about mail alone, when others are invalid; undefined if these are invalid, too. */
export async function findMailSettings(
  environment: NodeJS.ProcessEnv,
): Promise<Settings | undefined> {
  try {
    return await readMailSettings(environment)
  } catch (error) {
    if (error instanceof SettingsError) return undefined
    throw error
  }
}

/** Reads the settings as the server does; the first result is undefined if the server would refuse them. */
export async function examineSettings(
  environment: NodeJS.ProcessEnv,
): Promise<{ settings: Settings | undefined; findings: Finding[] }> {
  const misspelt = findMisspelt(environment).map(
    (message): Finding => ({ check, status: 'warning', message, advice }),
  )
  try {
    const settings = await readSettings(environment)
    const message = 'the server accepts them'
    const findings = misspelt.length > 0 ? misspelt : [{ check, status: 'ok' as const, message }]
    return { settings, findings }
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error
    const wrong = error.problems.map(
      (message): Finding => ({ check, status: 'failed', message, advice }),
    )
    return { settings: undefined, findings: [...misspelt, ...wrong] }
  }
}

import { announce } from './announce.ts'
import { describeDatabase } from './describe-database.ts'
import { explainFailure } from './explain-failure.ts'
import { assertPortIsFree } from './listen.ts'
import { createLogger } from './logging/create-logger.ts'
import { runServer } from './run-server.ts'
import { findMisspelt } from './settings/find-misspelt.ts'
import { readSettings } from './settings/read-settings.ts'
import { SettingsError } from './settings/settings-error.ts'
import { openStandardError } from './standard-error.ts'

/** Starts the server with the settings of the environment; invalid settings end the process. */
export async function serve(): Promise<void> {
  try {
    const settings = await readSettings(process.env)
    const logger = createLogger(settings)
    // For a worker, the parent has already logged it.
    if (!process.connected) {
      for (const sentence of findMisspelt(process.env)) logger.warn({}, sentence)
    }
    if (settings.workers > 1) {
      const { runWorkers } = await import('./workers/run-workers.ts')
      await runWorkers(settings, logger)
      return
    }
    await assertPortIsFree(settings)
    const database = await describeDatabase(settings.databaseUrl)
    const { clientele, address } = await runServer(settings, logger)
    await announce(clientele, address, settings, database)
  } catch (error) {
    await openStandardError().flush()
    console.error(explainFailure(error))
    process.exit(error instanceof SettingsError ? 2 : 1)
  }
}

import cluster from 'node:cluster'
import type { Logger } from 'pino'
import { memoryFlag } from '../../restart-with-less-memory.ts'
import { announce } from '../announce.ts'
import { describeDatabase } from '../describe-database.ts'
import { hearSignals } from '../hear-signals.ts'
import { startWorkerMetrics } from '../observe/start-metrics.ts'
import { openClientele } from '../open-clientele.ts'
import { runServer } from '../run-server.ts'
import type { Settings } from '../settings/setting-table.ts'
import { awaitClosedListeners } from './closed-listeners.ts'
import { WorkerCrew } from './worker-crew.ts'

/**
 * Serves with several processes that share a port. This process creates the tables and the first account, prints the
 * start messages, and supervises the others, which serve.
 */
export async function runWorkers(settings: Settings, logger: Logger): Promise<void> {
  if (cluster.isWorker) {
    await runServer({ ...settings, migrates: false }, logger, awaitClosedListeners)
    return
  }
  const crew = new WorkerCrew(settings.workers, logger)
  hearSignals((signal) => {
    logger.info({ signal }, 'Stopping: requests that are under way are finished first.')
    crew.stop(signal)
  })
  const database = await describeDatabase(settings.databaseUrl)
  const clientele = await openClientele({ ...settings, deliversWebhooks: false }, logger, {
    sendMail: undefined,
    observers: [],
  })
  cluster.setupPrimary({
    args: ['serve'],
    execArgv: [...new Set([memoryFlag, ...process.execArgv])],
  })
  await startWorkerMetrics(settings, logger)
  const address = await crew.start()
  await announce(clientele, address, settings, database)
  // From here on only the workers need the database.
  await clientele.close()
}

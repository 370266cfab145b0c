import type { AddressInfo } from 'node:net'
import type { Clientele } from '@clientele/core'
import type { Logger } from 'pino'
import { prepareDrain } from './drain.ts'
import { hearSignals } from './hear-signals.ts'
import { listen } from './listen.ts'
import { openMail } from './mail/open-mail.ts'
import { startMetrics } from './observe/start-metrics.ts'
import { openClientele } from './open-clientele.ts'
import { openHttpServer } from './open-http-server.ts'
import { releaseMemory } from './release-memory.ts'
import { createRequestListener } from './request-listener.ts'
import type { Settings } from './settings/setting-table.ts'
import { openStandardError } from './standard-error.ts'

export interface RunningServer {
  clientele: Clientele
  address: AddressInfo
}

/**
 * Serves until SIGTERM or SIGINT; then finishes running requests, and ends the process. `othersClosed` resolves when no
 * process beside this one accepts connections on the port any more.
 */
export async function runServer(
  settings: Settings,
  logger: Logger,
  othersClosed?: () => Promise<void>,
): Promise<RunningServer> {
  const mail = await openMail(settings, logger)
  const observers = await startMetrics(settings, logger)
  const clientele = await openClientele(settings, logger, { sendMail: mail.sendMail, observers })
  const server = openHttpServer(
    createRequestListener(clientele, logger, settings),
    settings.maxConnections,
  )
  const drain = prepareDrain(server, othersClosed)
  hearSignals((signal) => {
    logger.info({ signal }, 'Stopping: requests that are under way are finished first.')
    clientele.stopWaiting()
    drain()
      .then(() => clientele.close())
      .then(() => mail.close())
      .then(
        () => 0,
        (error: unknown) => {
          logger.error({ error }, 'Stopping failed.')
          return 1
        },
      )
      .then(async (code) => {
        await openStandardError().flush()
        process.exit(code)
      })
  })
  const address = await listen(server, settings)
  releaseMemory()
  logger.info({ host: address.address, port: address.port }, 'The server listens.')
  return { clientele, address }
}

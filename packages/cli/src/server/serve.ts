import { once } from 'node:events'
import { constants } from 'node:os'
import { ClienteleError, createClientele } from '@clientele/core'
import { openRepository } from '@clientele/core/database-url'
import { pino } from 'pino'
import { announce } from './announce.ts'
import { prepareDrain } from './drain.ts'
import { createRequestListener } from './request-listener.ts'
import { readSettings, SettingError } from './settings.ts'

// An import of this module loads the whole of Node's fetch too: 75 ms and 12 MiB that nobody here needs.
const { createServer } = process.getBuiltinModule('node:http')

/** So soon after the first, a signal is the first again: sent to a whole group, or forwarded by a parent. In milliseconds. */
const sameSignalMs = 2_000

/** Starts the server by the settings in the environment; what it cannot start with ends the process. */
export async function serve(): Promise<void> {
  try {
    await start()
  } catch (error) {
    console.error(explain(error))
    process.exit(1)
  }
}

async function start(): Promise<void> {
  const settings = readSettings(process.env)
  const { databaseUrl, secrets, publicUrl, host, port } = settings
  const { signingAlgorithm, tokenType, tokenTtlSeconds } = settings
  const { allowsPrivateAddresses: allowPrivateAddresses } = settings
  const logger = pino(
    {
      level: settings.logLevel,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (level) => ({ level }) },
      messageKey: 'message',
      serializers: { error: pino.stdSerializers.errWithCause },
    },
    pino.destination({ dest: 2, sync: true }),
  )
  const clientele = await createClientele({
    repository: await openRepository(databaseUrl),
    signingAlgorithm,
    tokenType,
    tokenTtlSeconds,
    migrate: settings.migrates,
    trustRequestIds: settings.trustsRequestIds,
    audit: { chain: settings.chainsEvents },
    webhooks: { deliver: settings.deliversWebhooks, allowPrivateAddresses },
    trustedIssuers: { allowPrivateAddresses },
    logger,
    // Whoever reads a code or a reset token in the log can sign in with it: only where that was asked for.
    ...(settings.logsMail
      ? { sendMail: async (mail) => logger.warn({ mail }, 'LOG_MAIL: this mail would be sent.') }
      : {}),
    ...(secrets === undefined ? {} : { secrets }),
    ...(publicUrl === undefined ? {} : { publicUrl }),
  })

  const server = createServer(
    {
      // A client that sends slowly must not hold a connection for ever.
      headersTimeout: 10_000,
      requestTimeout: 30_000,
      // Longer than the 60 s after which proxies usually let go, so that it is they who close.
      keepAliveTimeout: 65_000,
      connectionsCheckingInterval: 5_000,
    },
    createRequestListener(clientele, logger, publicUrl),
  )
  const drain = prepareDrain(server)

  let stoppedAt: number | undefined
  const stop = (signal: 'SIGTERM' | 'SIGINT'): void => {
    if (stoppedAt !== undefined) {
      const isAnother = performance.now() - stoppedAt > sameSignalMs
      if (isAnother) process.exit(128 + constants.signals[signal])
      return
    }
    stoppedAt = performance.now()
    logger.info({ signal }, 'Stopping: requests that are under way are finished first.')
    clientele.stopWaiting()
    drain()
      .then(() => clientele.close())
      .then(
        () => process.exit(0),
        (error: unknown) => {
          logger.error({ error }, 'Stopping failed.')
          process.exit(1)
        },
      )
  }
  process.on('SIGTERM', stop).on('SIGINT', stop)

  server.listen(port, host)
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The server has no port.')
  await announce(clientele, address)
  logger.info({ host: address.address, port: address.port }, 'The server listens.')
}

/** What the operator is told: no stack for what only a setting can mend. */
function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error instanceof SettingError) return error.message
  if (error instanceof ClienteleError) {
    const cause =
      error.cause instanceof Error ? ` (${error.cause.message || error.cause.name})` : ''
    return `${error.message}${cause}`
  }
  if ('code' in error && (error.code === 'EADDRINUSE' || error.code === 'EACCES')) {
    return `PORT cannot be listened on: ${error.message}`
  }
  return error.message
}

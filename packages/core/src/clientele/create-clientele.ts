import { ClienteleError } from '../base/errors.ts'
import type { Gauges } from '../base/observe/gauges.ts'
import { createObservation, type Observation } from '../base/observe/observation.ts'
import { observeMethods } from '../base/observe/observe-calls.ts'
import { assertNodeVersion } from '../base/runtime/assert-node-version.ts'
import { consoleLogger } from '../base/runtime/logger.ts'
import { findMetadata } from '../capabilities/signing-keys/issuer-metadata.ts'
import { Deliverer } from '../capabilities/webhooks/delivery/deliverer.ts'
import { mountConsole } from '../console/http/mount-console.ts'
import { guardRequest } from '../mount/guard-request.ts'
import { createRequestHandler } from '../mount/handle-request.ts'
import { observeGuard } from '../mount/observe-request.ts'
import { listOperations } from '../mount/operations.ts'
import type { Repository } from '../repository/repository.ts'
import { mountScim } from '../scim/mount-scim.ts'
import { createMethods } from './capabilities.ts'
import { checkOptions } from './check-options.ts'
import type { Clientele } from './clientele.ts'
import type { ClienteleOptions } from './clientele-options.ts'
import { createServices, type Services } from './create-services.ts'
import { createWithin } from './create-within.ts'
import { observeRepository } from './observe-repository.ts'
import { readGauges } from './read-gauges.ts'
import { hasSeveralSecrets } from './read-secrets.ts'
import { repeatReencryption } from './repeat-reencryption.ts'
import { createRoutes } from './routes.ts'

/** How long `close` waits for e-mails under way, in milliseconds */
const settleMs = 5_000

/**
 * Creates a Clientele: migrates the schema, and checks that the stored keys can be decrypted (with `lazyKeys` on first
 * use).
 *
 * @throws ClienteleError `secret_required`, `secret_wrong`, `configuration_invalid`, `storage_unavailable`, and with
 *   `migrate: false` `migration_missing`
 *
 * @example
 * import { createClientele } from '@clientele/core'
 * import { sqlite } from '@clientele/core/sqlite'
 *
 * const clientele = await createClientele({ repository: sqlite({ filename: 'users.sqlite' }) })
 * const account = await clientele.accounts.create({ name: 'Acme' })
 * const { user } = await clientele.users.create(account.id, {
 *   name: 'Ada Lovelace', email: 'ada@example.com', password: 'correct horse battery staple',
 * })
 */
export async function createClientele(options: ClienteleOptions): Promise<Clientele> {
  const { clientele } = await startClientele(options)
  return clientele
}

/** As `createClientele`, together with its services: for code outside of the capabilities, such as the testing kit. */
export async function startClientele(
  options: ClienteleOptions,
): Promise<{ clientele: Clientele; services: Services }> {
  assertNodeVersion()
  checkOptions(options)
  if (options.migrate ?? true) await options.repository.storage.migrate()
  else await refuseMissingMigrations(options.repository)
  const { observation, repository } = observe(options, async () => readGauges(services))
  const services = await createServices({ ...options, repository }, observation).catch(
    (error: unknown) => {
      observation?.close()
      throw error
    },
  )
  const { routes, openApi } = createRoutes(services)
  const deliverer = options.webhooks?.deliver === true ? new Deliverer(services) : undefined
  deliverer?.start()
  if (options.deleteExpired ?? true) services.sweeper.start()
  if (options.clock === undefined) services.databaseClock.start()
  const reencrypts = hasSeveralSecrets(options) && options.lazyKeys !== true
  const stopReencrypting = reencrypts ? repeatReencryption(services) : undefined
  const { within, close: stopTelling } = createWithin(services)
  const handle = createRequestHandler(services, routes)
  const methods = observeMethods(createMethods(services), observation)
  const clientele: Clientele = {
    ...methods,
    console: {
      ...methods.console,
      routes: (consoleOptions) => mountConsole(services, handle, consoleOptions),
    },
    scim: { ...methods.scim, routes: () => mountScim(services) },
    within: (handle) => observeMethods(within(handle), observation, 'within.'),
    operations: listOperations(routes),
    openApi,
    metadata: (accountId) => findMetadata(services, accountId),
    // Without `admit`: a host cannot replace the authentication by API key.
    handle: (request) => handle(request),
    guard: (request, guardOptions) =>
      observeGuard(observation, guardOptions?.accountId, () =>
        guardRequest(services, request, guardOptions),
      ),
    ping: () => repository.storage.ping(),
    stopWaiting: () => services.feedWatch.close(),
    close: async () => {
      stopTelling()
      stopReencrypting?.()
      services.databaseClock.close()
      services.hooks.close()
      services.feedWatch.close()
      await Promise.all([
        services.tasks.settle(settleMs),
        services.sweeper.close(),
        deliverer?.close(settleMs),
      ])
      await services.outbound.close()
      await services.feedLinking?.close()
      await repository.storage.close()
      observation?.close()
    },
  }
  return { clientele, services }
}

/** Creates the observers, and makes the repository report its calls to them. */
function observe(
  { observers = [], repository, publicUrl, logger = consoleLogger }: ClienteleOptions,
  measure: () => Promise<Gauges>,
): { observation: Observation | undefined; repository: Repository } {
  const about = {
    databaseSystem: repository.storage.system,
    publicUrl,
    readGauges: measure,
  }
  const observation = createObservation(observers, about, logger)
  if (observation === undefined) return { observation, repository }
  return { observation, repository: observeRepository(repository, observation) }
}

async function refuseMissingMigrations(repository: Repository): Promise<void> {
  const missing = await repository.storage.missingMigrations()
  if (missing.length === 0) return
  throw new ClienteleError(
    'migration_missing',
    `The database lacks ${missing.join(', ')}: run clientele migrate with a role that may create tables.`,
  )
}

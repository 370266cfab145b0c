import {
  type Clientele,
  type CreateObserver,
  createClientele,
  type SendMail,
} from '@clientele/core'
import { openRepository } from '@clientele/core/database-url'
import type { Logger } from 'pino'
import { logRequests } from './logging/log-requests.ts'
import type { Settings } from './settings/setting-table.ts'

/** Opens the database, and a Clientele on it, as the settings say. */
export async function openClientele(
  settings: Settings,
  logger: Logger,
  more: { sendMail: SendMail | undefined; observers: readonly CreateObserver[] },
): Promise<Clientele> {
  const { secrets, publicUrl, allowsPrivateAddresses: allowPrivateAddresses } = settings
  const { hookUrl, hookSecret } = settings
  const { sendMail, observers } = more
  return createClientele({
    repository: await openRepository(settings.databaseUrl, {
      replicaUrl: settings.replicaUrl,
      directReads: settings.readsDirectly,
    }),
    signingAlgorithm: settings.signingAlgorithm,
    tokenType: settings.tokenType,
    tokenTtlSeconds: settings.tokenTtlSeconds,
    migrate: settings.migrates,
    trustRequestIds: settings.trustsRequestIds,
    events: { retentionDays: settings.eventRetentionDays },
    audit: { chain: settings.chainsEvents },
    webhooks: { deliver: settings.deliversWebhooks, allowPrivateAddresses },
    trustedIssuers: { allowPrivateAddresses },
    logger,
    observers: [logRequests(settings), ...observers],
    ...(!settings.followsDatabaseClock && { clock: () => Date.now() }),
    ...(sendMail && { sendMail }),
    ...(hookUrl && hookSecret && { hooks: { url: hookUrl, secret: hookSecret } }),
    ...(secrets && { secrets }),
    ...(publicUrl && { publicUrl }),
  })
}

import { type Clientele, createClientele, type SendMail } from '@clientele/core'
import { openRepository } from '@clientele/core/database-url'
import type { Logger } from 'pino'
import type { Settings } from './settings/setting-table.ts'

/** Opens the database, and a Clientele on it, as the settings say. */
export async function openClientele(
  settings: Settings,
  logger: Logger,
  sendMail: SendMail | undefined,
): Promise<Clientele> {
  const { secrets, publicUrl, allowsPrivateAddresses: allowPrivateAddresses } = settings
  return createClientele({
    repository: await openRepository(settings.databaseUrl),
    signingAlgorithm: settings.signingAlgorithm,
    tokenType: settings.tokenType,
    tokenTtlSeconds: settings.tokenTtlSeconds,
    migrate: settings.migrates,
    trustRequestIds: settings.trustsRequestIds,
    audit: { chain: settings.chainsEvents },
    webhooks: { deliver: settings.deliversWebhooks, allowPrivateAddresses },
    trustedIssuers: { allowPrivateAddresses },
    logger,
    ...(sendMail && { sendMail }),
    ...(secrets && { secrets }),
    ...(publicUrl && { publicUrl }),
  })
}

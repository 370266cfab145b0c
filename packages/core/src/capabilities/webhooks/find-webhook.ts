import type { Call } from '../../base/call/call.ts'
import { ClienteleError } from '../../base/errors.ts'
import type { WebhooksServices } from './services.ts'
import type { WebhookRecord } from './store.ts'

/** @throws ClienteleError `webhook_not_found` */
export async function findWebhook(
  { repository }: WebhooksServices,
  { accountId }: Call,
  webhookId: string,
): Promise<WebhookRecord> {
  const record = await repository.webhooks.find(accountId, webhookId)
  if (record === undefined) throw new ClienteleError('webhook_not_found')
  return record
}

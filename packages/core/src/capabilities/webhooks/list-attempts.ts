import type { Call } from '../../base/call/call.ts'
import { findWebhook } from './find-webhook.ts'
import type { WebhooksServices } from './services.ts'
import type { WebhookAttempt } from './webhook.ts'

const listedAttempts = 100

/** @throws ClienteleError `webhook_not_found` */
export async function listWebhookAttempts(
  services: WebhooksServices,
  call: Call,
  webhookId: string,
): Promise<WebhookAttempt[]> {
  await findWebhook(services, call, webhookId)
  const { webhooks } = services.repository
  const records = await webhooks.listAttempts(call.accountId, webhookId, listedAttempts)
  return records.map(({ attemptedAt, ...record }) => ({
    ...record,
    attemptedAt: new Date(attemptedAt),
  }))
}

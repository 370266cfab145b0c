import type { Call } from '../../base/call/call.ts'
import { ClienteleError } from '../../base/errors.ts'
import { newEvent } from '../events/new-event.ts'
import type { WebhooksServices } from './services.ts'

/** @throws ClienteleError `webhook_not_found` */
export async function deleteWebhook(
  services: WebhooksServices,
  call: Call,
  webhookId: string,
): Promise<void> {
  const event = newEvent(services, call, 'webhook.deleted', webhookId, {})
  const isDeleted = await services.repository.webhooks.delete(call.accountId, webhookId, event)
  if (!isDeleted) throw new ClienteleError('webhook_not_found')
  services.events.emit(event)
}

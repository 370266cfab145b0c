import type { Call } from '../../base/call/call.ts'
import { changeInTurn } from '../../base/runtime/change-in-turn.ts'
import { newEvent } from '../events/new-event.ts'
import { findWebhook } from './find-webhook.ts'
import { laterThan } from './later-than.ts'
import type { WebhooksServices } from './services.ts'
import type { WebhookRecord } from './store.ts'
import { createWebhookSecret, encryptWebhookSecret, secretOverlapMs } from './webhook-secrets.ts'

/**
 * Gives an endpoint a new secret. For 24 hours messages are signed with the previous one, too.
 *
 * @throws ClienteleError `webhook_not_found`, `overloaded`
 */
export async function rotateWebhookSecret(
  services: WebhooksServices,
  call: Call,
  webhookId: string,
): Promise<{ secret: string }> {
  const { repository, events, clock } = services
  const { accountId } = call
  const secret = createWebhookSecret()
  return changeInTurn(services, call, { name: 'endpoint', id: webhookId }, async () => {
    const before = await findWebhook(services, call, webhookId)
    const next: WebhookRecord = {
      ...before,
      encryptedSecret: encryptWebhookSecret(services, accountId, webhookId, secret),
      previousEncryptedSecret: before.encryptedSecret,
      previousExpiresAt: clock() + secretOverlapMs,
      updatedAt: laterThan(before, services),
    }
    const event = newEvent(services, call, 'webhook.secret_rotated', webhookId, {})
    const isUpdated = await repository.webhooks.update(
      accountId,
      next,
      { unchangedSince: before.updatedAt },
      event,
    )
    if (!isUpdated) return undefined
    events.emit(event)
    return { secret }
  })
}

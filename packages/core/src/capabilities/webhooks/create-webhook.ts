import type { Call } from '../../base/call/call.ts'
import { ClienteleError } from '../../base/errors.ts'
import { newEvent } from '../events/new-event.ts'
import { checkWebhookUrl } from './check-webhook-url.ts'
import type { WebhooksServices } from './services.ts'
import type { WebhookRecord } from './store.ts'
import { toWebhook } from './to-webhook.ts'
import { type CheckedWebhook, maxWebhooks, type Webhook } from './webhook.ts'
import { createWebhookSecret, encryptWebhookSecret } from './webhook-secrets.ts'

/** An endpoint with its secret, which is shown only this time. */
export interface CreatedWebhook extends Webhook {
  /** `whsec_…`: verifies the signatures (Standard Webhooks) */
  secret: string
}

/**
 * Adds an endpoint, which receives all later events.
 *
 * @throws ClienteleError `validation_failed`, `webhook_limit_reached`, `account_not_found`
 */
export async function createWebhook(
  services: WebhooksServices,
  call: Call,
  input: CheckedWebhook,
): Promise<CreatedWebhook> {
  const { repository, events, storedSecrets, newId, clock } = services
  const { accountId } = call
  await checkWebhookUrl(services, call, input.url)
  await storedSecrets.ensureChecked()
  const id = newId()
  const now = clock()
  const secret = createWebhookSecret()
  const record: WebhookRecord = {
    id,
    ...input,
    disabledReason: null,
    encryptedSecret: encryptWebhookSecret(services, accountId, id, secret),
    previousEncryptedSecret: null,
    previousExpiresAt: null,
    createdAt: now,
    updatedAt: now,
  }
  const { types, description } = record
  const event = newEvent(services, call, 'webhook.created', id, { types, description })
  const { lastPosition: position } = await repository.events.findEnd(accountId)
  const options = { maximum: maxWebhooks, position }
  const outcome = await repository.webhooks.create(accountId, record, options, event)
  if (outcome !== 'created') throw new ClienteleError(outcome)
  events.emit(event)
  return { ...toWebhook(record), secret }
}

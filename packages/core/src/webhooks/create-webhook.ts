import type { Call } from '../call.ts'
import { ClienteleError, invalidInput } from '../errors.ts'
import { findFeedEnd } from '../events/find-feed-end.ts'
import { newEvent } from '../events/new-event.ts'
import { findHostProblem } from '../outbound/look-up-host.ts'
import { findUrlProblem, hostOf } from '../outbound/outbound-url.ts'
import type { Services } from '../services.ts'
import type { WebhookRecord } from './store.ts'
import { type CheckedWebhook, maxWebhooks, type Webhook } from './webhook.ts'
import { createWebhookSecret, encryptWebhookSecret } from './webhook-secrets.ts'

/** How long a name may take to be looked up, in milliseconds; each attempt asks again. */
const lookUpMs = 2_000

/** An endpoint with its secret, which comes this once. */
export interface CreatedWebhook extends Webhook {
  /** `whsec_…`: what verifies the signatures (Standard Webhooks) */
  secret: string
}

/**
 * Adds an endpoint: what happens from now on is sent to it.
 *
 * @throws ClienteleError `validation_failed`, `webhook_limit_reached`, `account_not_found`
 */
export async function createWebhook(
  services: Services,
  call: Call,
  input: CheckedWebhook,
): Promise<CreatedWebhook> {
  const { repository, events, keyRing, newId, clock } = services
  const { accountId } = call
  await checkWebhookUrl(services, input.url)
  await keyRing.ensureChecked()
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
  const outcome = await repository.webhooks.create(
    accountId,
    record,
    { maximum: maxWebhooks, position: await findFeedEnd(services, accountId) },
    event,
  )
  if (outcome !== 'created') throw new ClienteleError(outcome)
  events.emit(event)
  return { ...toWebhook(record), secret }
}

/** @throws ClienteleError `validation_failed` for an address that nothing is sent to */
export async function checkWebhookUrl(
  { webhookDelivery: { allowPrivateAddresses } }: Services,
  text: string,
): Promise<void> {
  const refuse = (message: string): never => {
    throw invalidInput([{ pointer: '/url', code: 'url', message }])
  }
  const problem = findUrlProblem(text, allowPrivateAddresses)
  if (problem !== undefined) refuse(problem)
  const address = await findHostProblem(hostOf(new URL(text)), allowPrivateAddresses, lookUpMs)
  if (address !== undefined) refuse(`must not lead to ${address}`)
}

export function toWebhook(record: WebhookRecord): Webhook {
  return {
    id: record.id,
    url: record.url,
    types: record.types,
    description: record.description,
    isActive: record.isActive,
    disabledReason: record.disabledReason,
    createdAt: new Date(record.createdAt),
    updatedAt: new Date(record.updatedAt),
  }
}

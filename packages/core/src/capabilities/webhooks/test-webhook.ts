import type { Call } from '../../base/call/call.ts'
import { ClienteleError } from '../../base/errors.ts'
import { answerOnce } from '../idempotency/answer-once.ts'
import type { NewReply } from '../idempotency/store.ts'
import type { WebhooksServices } from './services.ts'

/** The type of a test message; no event of the feed has it. */
export const testType = 'webhook.test'

/**
 * Sends a test message once: a body like an event's, of the type `webhook.test`, also to an inactive endpoint.
 *
 * @throws ClienteleError `webhook_not_found`, `idempotency_in_progress`, `idempotency_key_reused`
 */
export async function testWebhook(
  services: WebhooksServices,
  call: Call,
  webhookId: string,
): Promise<void> {
  await answerOnce(services, call, { operation: 'testWebhook', input: { webhookId } }, (reply) =>
    addTest(services, call, webhookId, reply),
  )
}

async function addTest(
  services: WebhooksServices,
  call: Call,
  webhookId: string,
  reply?: NewReply,
): Promise<void> {
  const { repository, feedWatch, newId, clock } = services
  const { accountId, actor, requestId } = call
  const eventId = newId()
  const now = clock()
  const payload = JSON.stringify({
    id: eventId,
    type: testType,
    created_at: new Date(now).toISOString(),
    actor,
    request_id: requestId,
    subject: { type: 'webhook', id: webhookId },
    data: {},
  })
  const test = { eventId, position: 0, payload, attempts: 0, nextAttemptAt: now }
  const isAdded = await repository.webhooks.addPending(accountId, webhookId, test, reply)
  if (!isAdded) throw new ClienteleError('webhook_not_found')
  feedWatch.wake(accountId)
}

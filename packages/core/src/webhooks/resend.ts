import type { z } from 'zod'
import type { Call } from '../call.ts'
import { ClienteleError } from '../errors.ts'
import { readCursor } from '../events/cursor.ts'
import { answerOnce } from '../idempotency/answer-once.ts'
import type { NewReply } from '../idempotency/store.ts'
import type { Services } from '../services.ts'
import { findWebhook } from './find-webhook.ts'
import type { replaySchema } from './webhook.ts'

/** The type of what is sent as a test; no event of the feed has it. */
export const testType = 'webhook.test'

/**
 * Sends a test: a body like an event's, of the type `webhook.test`, once. It goes also to an endpoint that is off.
 *
 * @throws ClienteleError `webhook_not_found`, `idempotency_in_progress`, `idempotency_key_reused`
 */
export async function testWebhook(
  services: Services,
  call: Call,
  webhookId: string,
): Promise<void> {
  const { idempotency } = call
  if (idempotency === undefined) return addTest(services, call, webhookId)
  const request = { idempotency, operation: 'testWebhook', input: { webhookId } }
  await answerOnce(services, call, request, (reply) => addTest(services, call, webhookId, reply))
}

async function addTest(
  services: Services,
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

/**
 * Sends everything behind a cursor of the feed again, with the ids that it had.
 *
 * @throws ClienteleError `webhook_not_found`, `webhook_inactive`, `cursor_expired`, `validation_failed`,
 *   `idempotency_in_progress`, `idempotency_key_reused`
 */
export async function replayWebhook(
  services: Services,
  call: Call,
  webhookId: string,
  input: z.output<typeof replaySchema>,
): Promise<void> {
  const { idempotency } = call
  if (idempotency === undefined) return moveBack(services, call, webhookId, input)
  const request = { idempotency, operation: 'replayWebhook', input: { webhookId, ...input } }
  await answerOnce(services, call, request, (reply) =>
    moveBack(services, call, webhookId, input, reply),
  )
}

async function moveBack(
  services: Services,
  call: Call,
  webhookId: string,
  { after }: z.output<typeof replaySchema>,
  reply?: NewReply,
): Promise<void> {
  const { repository, feedWatch } = services
  const { accountId } = call
  const position = readCursor(accountId, after)
  const { isActive } = await findWebhook(services, call, webhookId)
  if (!isActive) throw new ClienteleError('webhook_inactive')
  const { purgedPosition } = await repository.events.read(accountId, { after: position, limit: 1 })
  if (position < purgedPosition) throw new ClienteleError('cursor_expired')
  const isMoved = await repository.webhooks.replay(accountId, webhookId, position, reply)
  if (!isMoved) throw new ClienteleError('webhook_not_found')
  feedWatch.wake(accountId)
}

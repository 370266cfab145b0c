import type { z } from 'zod'
import type { Call } from '../../base/call/call.ts'
import { ClienteleError } from '../../base/errors.ts'
import { assertInFeed, readCursor } from '../events/cursor.ts'
import { newEvent } from '../events/new-event.ts'
import { answerOnce } from '../idempotency/answer-once.ts'
import type { NewReply } from '../idempotency/store.ts'
import { findWebhook } from './find-webhook.ts'
import type { WebhooksServices } from './services.ts'
import type { replaySchema } from './webhook.ts'

/**
 * Resends every event after a cursor of the feed, with the original ids.
 *
 * @throws ClienteleError `webhook_not_found`, `webhook_inactive`, `cursor_expired`, `validation_failed`,
 *   `idempotency_in_progress`, `idempotency_key_reused`
 */
export async function replayWebhook(
  services: WebhooksServices,
  call: Call,
  webhookId: string,
  input: z.output<typeof replaySchema>,
): Promise<void> {
  const request = { operation: 'replayWebhook', input: { webhookId, ...input } }
  await answerOnce(services, call, request, (reply) =>
    moveBack(services, call, webhookId, input, reply),
  )
}

async function moveBack(
  services: WebhooksServices,
  call: Call,
  webhookId: string,
  { after }: z.output<typeof replaySchema>,
  reply?: NewReply,
): Promise<void> {
  const { repository, feedWatch, events } = services
  const { accountId } = call
  const position = readCursor(accountId, after)
  const { isActive } = await findWebhook(services, call, webhookId)
  if (!isActive) throw new ClienteleError('webhook_inactive')
  assertInFeed(position, await repository.events.findEnd(accountId))
  const event = newEvent(services, call, 'webhook.replayed', webhookId, { after })
  const isMoved = await repository.webhooks.replay(accountId, webhookId, position, event, reply)
  if (!isMoved) throw new ClienteleError('webhook_not_found')
  events.emit(event)
  feedWatch.wake(accountId)
}

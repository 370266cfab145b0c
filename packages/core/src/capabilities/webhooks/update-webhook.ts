import { isDeepStrictEqual } from 'node:util'
import type { z } from 'zod'
import type { Call } from '../../base/call/call.ts'
import { changeInTurn } from '../../base/runtime/change-in-turn.ts'
import { newEvent } from '../events/new-event.ts'
import { checkWebhookUrl } from './check-webhook-url.ts'
import { findWebhook } from './find-webhook.ts'
import { laterThan } from './later-than.ts'
import type { WebhooksServices } from './services.ts'
import type { WebhookRecord } from './store.ts'
import { toWebhook } from './to-webhook.ts'
import type { Webhook, webhookChangesSchema } from './webhook.ts'

const changeable = ['url', 'types', 'description', 'isActive'] as const

/**
 * Changes the given members. An endpoint that is switched on receives all later events.
 *
 * @throws ClienteleError `validation_failed`, `webhook_not_found`, `overloaded`
 */
export async function updateWebhook(
  services: WebhooksServices,
  call: Call,
  webhookId: string,
  changes: z.output<typeof webhookChangesSchema>,
): Promise<Webhook> {
  const { repository, events } = services
  const { accountId } = call
  if (changes.url !== undefined) await checkWebhookUrl(services, call, changes.url)
  return changeInTurn(services, call, { name: 'endpoint', id: webhookId }, async () => {
    const before = await findWebhook(services, call, webhookId)
    const next: WebhookRecord = {
      ...before,
      url: changes.url ?? before.url,
      types: changes.types ?? before.types,
      description: changes.description ?? before.description,
      isActive: changes.isActive ?? before.isActive,
    }
    const changed = changeable.filter((name) => !isDeepStrictEqual(before[name], next[name]))
    if (changed.length === 0) return toWebhook(before)
    const isSwitchedOn = next.isActive && !before.isActive
    if (isSwitchedOn) next.disabledReason = null
    next.updatedAt = laterThan(before, services)
    const event = newEvent(services, call, 'webhook.updated', webhookId, { changed })
    const end = isSwitchedOn ? await repository.events.findEnd(accountId) : undefined
    const options = { unchangedSince: before.updatedAt, position: end?.lastPosition }
    const isUpdated = await repository.webhooks.update(accountId, next, options, event)
    if (!isUpdated) return undefined
    events.emit(event)
    return toWebhook(next)
  })
}

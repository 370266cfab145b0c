import { setTimeout as sleep } from 'node:timers/promises'
import { ClienteleError } from '../../../base/errors.ts'
import { post } from '../../../base/outbound/post.ts'
import type { WebhooksServices } from '../services.ts'
import type { LeasedWebhook } from '../store.ts'
import type { WebhookFailure } from '../webhook.ts'
import { readWebhookSecrets } from '../webhook-secrets.ts'

/** So long nothing is sent to an endpoint when there was no room to look its name up. */
const pauseMs = 1_000

export interface WebhookMessage {
  /** `webhook-id`: the event's id, the same on every attempt */
  id: string
  /** Writes the body */
  render: () => string
}

export interface WebhookAnswer {
  /** Null: there was none */
  status: number | null
  /** Why there was none; null where there was one */
  reason: WebhookFailure | null
  /** `Retry-After`, as it came */
  retryAfter: string | undefined
  durationMs: number
}

/**
 * Sends a message, signed as Standard Webhooks 1.0 says. What fails by our own fault is an answer too: it is logged, and
 * counts as an attempt, so that the endpoint shows it and nothing waits behind it.
 *
 * @param signal gives it up
 * @returns undefined when it was given up, or not sent for want of room: then it was no attempt
 */
export async function sendWebhook(
  services: WebhooksServices,
  webhook: LeasedWebhook,
  message: WebhookMessage,
  signal: AbortSignal,
): Promise<WebhookAnswer | undefined> {
  const { webhookDelivery, logger } = services
  const { url, accountId, id: webhookId } = webhook
  const startedAt = performance.now()
  let signed: SignedMessage | undefined
  try {
    signed = await signMessage(services, webhook, message)
    const answer = await post(url, { accountId, ...signed, signal, ...webhookDelivery })
    return { ...answer, reason: null, durationMs: msSince(startedAt) }
  } catch (error) {
    if (error instanceof ClienteleError && error.code === 'overloaded')
      return sleep(pauseMs, undefined, { signal }).catch(() => undefined)
    if (signal.aborted) return undefined
    const isOurs = signed === undefined || isProgramError(error)
    if (isOurs) {
      const about = { accountId, webhookId, eventId: message.id, error }
      logger.error(about, 'A webhook could not be sent: the fault is ours.')
    }
    // Why nothing answered is the receiver's to find out; that nothing did, is kept as an attempt without a status.
    const reason = isOurs ? 'error' : 'no_answer'
    return { status: null, reason, retryAfter: undefined, durationMs: msSince(startedAt) }
  }
}

interface SignedMessage {
  headers: Record<string, string>
  body: string
}

/** @throws whatever fails here: nothing of it is the receiver's fault */
async function signMessage(
  services: WebhooksServices,
  webhook: LeasedWebhook,
  { id, render }: WebhookMessage,
): Promise<SignedMessage> {
  const now = services.clock()
  const body = render()
  const secrets = readWebhookSecrets(services, webhook.accountId, webhook, now)
  // Loaded when the first message is sent.
  const { MessageSigner } = await import('./message-signer.ts')
  const signatures = secrets.map((secret) =>
    new MessageSigner(secret).sign(id, new Date(now), body),
  )
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'Clientele',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(now / 1000)),
    'webhook-signature': signatures.join(' '),
  }
  return { headers, body }
}

function msSince(startedAt: number): number {
  return Math.round(performance.now() - startedAt)
}

/** What a network fails with is an Error with a code; one of these is a mistake in a program. */
function isProgramError(error: unknown): boolean {
  return [TypeError, RangeError, ReferenceError, SyntaxError].some((kind) => error instanceof kind)
}

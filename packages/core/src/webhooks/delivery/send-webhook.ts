import { setTimeout as sleep } from 'node:timers/promises'
import { ClienteleError } from '../../errors.ts'
import { post } from '../../outbound/post.ts'
import type { Services } from '../../services.ts'
import type { LeasedWebhook } from '../store.ts'
import { readWebhookSecrets } from '../webhook-secrets.ts'

/** So long nothing is sent to an endpoint when there was no room to look its name up. */
const pauseMs = 1_000

export interface WebhookMessage {
  /** `webhook-id`: the event's id, the same on every attempt */
  id: string
  body: string
}

export interface WebhookAnswer {
  /** Null: nothing answered in time, or the address is not allowed */
  status: number | null
  /** `Retry-After`, as it came */
  retryAfter: string | undefined
  durationMs: number
}

/**
 * Sends a message, signed as Standard Webhooks 1.0 says.
 *
 * @param signal gives it up
 * @returns undefined when it was given up, or not sent because of us: then it was no attempt
 * @throws ClienteleError `secret_wrong`
 */
export async function sendWebhook(
  services: Services,
  webhook: LeasedWebhook,
  { id, body }: WebhookMessage,
  signal: AbortSignal,
): Promise<WebhookAnswer | undefined> {
  const { clock, webhookDelivery } = services
  const now = clock()
  const secrets = readWebhookSecrets(services, webhook.accountId, webhook, now)
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'Clientele',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(now / 1000)),
    'webhook-signature': await signWebhook(secrets, id, now, body),
  }
  const startedAt = performance.now()
  const measure = () => Math.round(performance.now() - startedAt)
  try {
    const { url, accountId } = webhook
    const answer = await post(url, { accountId, headers, body, signal, ...webhookDelivery })
    return { ...answer, durationMs: measure() }
  } catch (error) {
    if (error instanceof ClienteleError && error.code === 'overloaded')
      return sleep(pauseMs, undefined, { signal }).catch(() => undefined)
    // Why nothing answered is the receiver's to find out; that nothing did, is kept as an attempt without a status.
    if (signal.aborted) return undefined
    return { status: null, retryAfter: undefined, durationMs: measure() }
  }
}

/** The header with a signature by each secret. Loaded when the first message is sent. */
async function signWebhook(
  secrets: readonly string[],
  id: string,
  now: number,
  body: string,
): Promise<string> {
  const { MessageSigner } = await import('./message-signer.ts')
  return secrets.map((secret) => new MessageSigner(secret).sign(id, new Date(now), body)).join(' ')
}

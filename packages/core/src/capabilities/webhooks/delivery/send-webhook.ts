import { setImmediate as endOfTurn, setTimeout as sleep } from 'node:timers/promises'
import { isOverloaded } from '../../../base/errors.ts'
import { nameCause } from '../../../base/outbound/name-cause.ts'
import { type PostedMessage, post } from '../../../base/outbound/post.ts'
import { signMessage } from '../../../base/outbound/sign-message.ts'
import type { WebhooksServices } from '../services.ts'
import type { LeasedWebhook } from '../store.ts'
import type { WebhookFailure } from '../webhook.ts'
import { readWebhookSecrets } from '../webhook-secrets.ts'

/** How long an endpoint pauses when too many lookups wait, or handshakes take too long. */
const pauseMs = 1_000

export interface WebhookMessage {
  /** `webhook-id`: the event's id, the same on every attempt */
  id: string
  /** Finds what may be sent now, and returns what writes the body; undefined: nothing may be sent any more */
  find: () => Promise<(() => string) | undefined>
}

export interface WebhookAnswer {
  /** Null: no response */
  status: number | null
  /** Why there was none; null when there was one */
  reason: WebhookFailure | null
  /** `Retry-After` as received */
  retryAfter: string | undefined
  durationMs: number
}

/**
 * Sends a message, signed as in Standard Webhooks 1.0. A fault of ours is a result, too: it is logged and counts as an
 * attempt, so that the endpoint's history shows it and it blocks no other message.
 *
 * @param signal cancels the request
 * @throws any error of `message.find`
 * @returns undefined when it was cancelled, nothing may be sent, or the account has to wait: then there was no attempt
 */
export async function sendWebhook(
  services: WebhooksServices,
  webhook: LeasedWebhook,
  message: WebhookMessage,
  signal: AbortSignal,
): Promise<WebhookAnswer | undefined> {
  const { webhookDelivery, outbound, logger } = services
  const { url, accountId, id: webhookId } = webhook
  const startedAt = performance.now()
  const progress = { isWriting: false }
  const write = async (): Promise<PostedMessage> => {
    progress.isWriting = true
    const written = await writeMessage(services, webhook, message)
    progress.isWriting = false
    // A slow database is not the endpoint's fault.
    if (performance.now() - startedAt > webhookDelivery.timeoutMs)
      throw new Withdrawn('No time is left to send it.')
    return written
  }
  try {
    const answer = await post(url, { outbound, accountId, write, signal, ...webhookDelivery })
    return { ...answer, reason: null, durationMs: msSince(startedAt) }
  } catch (error) {
    if (isOverloaded(error)) return sleep(pauseMs, undefined, { signal }).catch(() => undefined)
    if (signal.aborted || error instanceof Withdrawn) return undefined
    if (error instanceof Unread) throw error.cause
    const isOurs = progress.isWriting || isProgramError(error)
    const about = { accountId, webhookId, eventId: message.id }
    if (isOurs) logger.error({ ...about, error }, 'A webhook could not be sent: the fault is ours.')
    // Only the operator learns the cause: an account could explore the operator's network with it.
    else {
      const { cause, code } = nameCause(error)
      const option = 'webhooks.allowPrivateAddresses, or ALLOW_PRIVATE_ADDRESSES of the server'
      const isForbidden = cause === 'forbidden_address'
      const named = { ...about, cause, ...(code && { code }), ...(isForbidden && { option }) }
      logger.info(named, 'A webhook got no answer.')
    }
    const reason = isOurs ? 'error' : 'no_answer'
    return { status: null, reason, retryAfter: undefined, durationMs: msSince(startedAt) }
  }
}

/** Thrown when nothing may be sent any more, or not now. */
class Withdrawn extends Error {}

/** Thrown when `find` fails; its cause is why. */
class Unread extends Error {}

/** @throws Withdrawn, Unread; another error is always a fault of ours */
async function writeMessage(
  services: WebhooksServices,
  webhook: LeasedWebhook,
  { id, find }: WebhookMessage,
): Promise<PostedMessage> {
  // Answers that come together would otherwise all have their next message written in one turn of the event loop.
  await endOfTurn()
  const render = await find().catch((cause: unknown) => {
    throw new Unread('The message could not be read.', { cause })
  })
  if (render === undefined) throw new Withdrawn('Nothing may be sent any more.')
  const now = services.clock()
  const body = new TextEncoder().encode(render())
  const secrets = readWebhookSecrets(services, webhook.accountId, webhook, now)
  const headers = signMessage(secrets, { id, at: now, body })
  return { headers, body }
}

function msSince(startedAt: number): number {
  return Math.round(performance.now() - startedAt)
}

/** A network fault is an Error with a code; other errors are mistakes in the program. */
function isProgramError(error: unknown): boolean {
  return [TypeError, RangeError, ReferenceError, SyntaxError].some((kind) => error instanceof kind)
}

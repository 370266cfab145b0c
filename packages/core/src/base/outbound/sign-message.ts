import { createHmac } from 'node:crypto'

interface Message {
  /** `webhook-id`: the same on every attempt */
  id: string
  /** Milliseconds since the epoch */
  at: number
  body: Uint8Array
}

const secretPrefix = 'whsec_'

/**
 * The header fields of a message, signed with each secret as in Standard Webhooks 1.0.
 *
 * @param secrets `whsec_` and base64
 */
export function signMessage(
  secrets: readonly string[],
  { id, at, body }: Message,
): Record<string, string> {
  const seconds = Math.floor(at / 1000)
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(secretPrefix.length), 'base64')
    const digest = createHmac('sha256', key).update(`${id}.${seconds}.`).update(body)
    return `v1,${digest.digest('base64')}`
  })
  return {
    'content-type': 'application/json',
    'user-agent': 'Clientele',
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': signatures.join(' '),
  }
}

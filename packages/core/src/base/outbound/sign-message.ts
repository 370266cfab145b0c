interface Message {
  /** `webhook-id`: the same on every attempt */
  id: string
  /** Milliseconds since the epoch */
  at: number
  body: string
}

/** The header fields of a message, signed with each secret as in Standard Webhooks 1.0. */
export async function signMessage(
  secrets: readonly string[],
  { id, at, body }: Message,
): Promise<Record<string, string>> {
  // Loaded for the first message.
  const { MessageSigner } = await import('./message-signer.ts')
  const signatures = secrets.map((secret) => new MessageSigner(secret).sign(id, new Date(at), body))
  return {
    'content-type': 'application/json',
    'user-agent': 'Clientele',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at / 1000)),
    'webhook-signature': signatures.join(' '),
  }
}

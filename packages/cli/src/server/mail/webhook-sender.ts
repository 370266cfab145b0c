import { type Mail, toWire } from '@clientele/core'
import { Webhook } from 'standardwebhooks'
import { type Letter, MailFailure, type MailSender } from './mail-sender.ts'

/** Below the 30 seconds that a mail has */
const timeoutMs = 15_000
/** Statuses after which a retry may succeed */
const passing = [408, 425, 429]

/** Sends mails to a URL as JSON, signed as Standard Webhooks: the receiver writes the words and sends them. */
export function openWebhookSender(url: string, secret: string): MailSender {
  const signer = new Webhook(secret)
  return {
    deliver: async (letter) => {
      const body = JSON.stringify(toBody(letter))
      const now = new Date()
      const response = await ask(url, {
        method: 'POST',
        body,
        // The target of a redirect must not get codes.
        redirect: 'manual',
        signal: AbortSignal.timeout(timeoutMs),
        headers: {
          'content-type': 'application/json',
          'webhook-id': letter.id,
          'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
          'webhook-signature': signer.sign(letter.id, now, body),
        },
      })
      await response.body?.cancel()
      if (response.ok) return
      const isFinal = response.status < 500 && !passing.includes(response.status)
      throw new MailFailure(`MAIL_WEBHOOK answered ${response.status}.`, { isFinal })
    },
    close: () => {},
  }
}

async function ask(url: string, options: RequestInit): Promise<Response> {
  try {
    return await fetch(url, options)
  } catch (error) {
    const cause = error instanceof Error ? (error.cause ?? error) : error
    const reason = cause instanceof Error && 'code' in cause ? String(cause.code) : 'no answer'
    throw new MailFailure(`MAIL_WEBHOOK could not be reached (${reason}).`)
  }
}

function toBody({ id, createdAt, mail }: Letter): object {
  const { kind, accountId, user, expiresInSeconds } = mail
  return {
    ...{ id, kind, created_at: createdAt.toISOString(), account_id: accountId, user: toWire(user) },
    ...readSecret(mail),
    expires_in: expiresInSeconds,
  }
}

function readSecret(mail: Mail): { code: string } | { token: string } {
  return 'code' in mail ? { code: mail.code } : { token: mail.token }
}

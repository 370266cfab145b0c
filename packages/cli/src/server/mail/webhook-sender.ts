import type { OutgoingHttpHeaders } from 'node:http'
import { request as requestHttps } from 'node:https'
import { type Mail, toWire } from '@clientele/core'
import { signMessage } from '@clientele/core/database-url'
import { type Letter, MailFailure, type MailSender } from './mail-sender.ts'

// `import … from 'node:http'` would load Node's whole fetch: 75 ms of CPU time and 12 MiB.
const { request: requestHttp } = process.getBuiltinModule('node:http')

/** Below the 30 seconds that a mail has */
const timeoutMs = 15_000
/** Statuses after which a retry may succeed */
const passing = [408, 425, 429]
/** How many informational responses (103 Early Hints) may come before the response: each occupies the event loop. */
const maxInformational = 5

/** Sends mails to a URL as JSON, signed as Standard Webhooks: the receiver writes the words and sends them. */
export function openWebhookSender(url: string, secret: string): MailSender {
  return {
    deliver: async (letter) => {
      const body = new TextEncoder().encode(JSON.stringify(toBody(letter)))
      const status = await ask(
        url,
        body,
        signMessage([secret], { id: letter.id, at: Date.now(), body }),
      )
      if (status >= 200 && status <= 299) return
      const isFinal = status < 500 && !passing.includes(status)
      throw new MailFailure(`MAIL_WEBHOOK answered ${status}.`, { isFinal })
    },
    close: () => {},
  }
}

/** Resolves to the status, and reads only the head of the response. The target of a redirect must not get codes. */
function ask(url: string, body: Uint8Array, headers: OutgoingHttpHeaders): Promise<number> {
  const open = new URL(url).protocol === 'https:' ? requestHttps : requestHttp
  const signal = AbortSignal.timeout(timeoutMs)
  const options = { headers: { ...headers, 'content-length': body.length }, signal }
  return new Promise((resolve, reject) => {
    const request = open(url, { ...options, method: 'POST' })
    const fail = (reason: string) =>
      reject(new MailFailure(`MAIL_WEBHOOK could not be reached (${reason}).`))
    let informational = 0
    const countInformational = () => {
      informational++
      if (informational <= maxInformational) return
      request.off('information', countInformational)
      fail('too many informational responses')
      request.destroy()
    }
    request.on('information', countInformational)
    request.on('response', ({ statusCode = 0 }) => {
      resolve(statusCode)
      request.destroy()
    })
    request.on('error', (error) =>
      fail('code' in error && !signal.aborted ? String(error.code) : 'no answer'),
    )
    // Covers invalid responses too, such as 101 with an upgrade.
    request.on('close', () => fail('no answer'))
    request.end(body)
  })
}

function toBody({ id, createdAt, mail }: Letter): object {
  const { kind, accountId, to, user, locale, expiresInSeconds } = mail
  return {
    ...{ id, kind, created_at: createdAt.toISOString(), account_id: accountId, user: toWire(user) },
    to,
    ...readSecrets(mail),
    ...(locale !== undefined && { locale }),
    expires_in: expiresInSeconds,
  }
}

function readSecrets(mail: Mail): { code?: string; token?: string } {
  return {
    ...('code' in mail && { code: mail.code }),
    ...('token' in mail && { token: mail.token }),
  }
}

import { createTransport } from 'nodemailer'
import { AccountLimit } from './account-limit.ts'
import { encodeSubject } from './encode-subject.ts'
import type { FindTemplate } from './find-template.ts'
import { MailFailure, type MailSender } from './mail-sender.ts'
import { renderMail } from './render-mail.ts'

/** Together these timeouts stay below the 30 seconds that a mail may take. */
const timeouts = {
  dnsTimeout: 5_000,
  connectionTimeout: 5_000,
  greetingTimeout: 5_000,
  socketTimeout: 10_000,
}

/**
 * How many connections there are at once, and how many of them one account may have: a server may take long to accept some
 * addresses, and mails of other accounts do not wait for these.
 */
const maxConnections = 5
const atOncePerAccount = 3

/**
 * Sends mails by SMTP. A password is never sent in clear: a URL with a password needs `smtps:` or a server with
 * STARTTLS, unless it has `?requireTLS=false`.
 */
export function openSmtpSender(url: string, from: string, findTemplate: FindTemplate): MailSender {
  const { password, searchParams } = new URL(url)
  const isTlsOptional = password === '' || searchParams.get('requireTLS') === 'false'
  const transport = createTransport({
    ...{ url, pool: true as const, maxConnections, maxRequeues: 0 },
    ...{ requireTLS: !isTlsOptional, disableFileAccess: true, disableUrlAccess: true },
    ...timeouts,
  })
  // Each failure rejects the promise of its mail; without this listener it would also end the process.
  transport.on('error', () => {})
  const limit = new AccountLimit(atOncePerAccount)
  return {
    deliver: async ({ id, createdAt, mail }) => {
      const { subject: words, text, html } = renderMail(findTemplate(mail), mail)
      const subject = encodeSubject(words)
      const domain = /@([^@>\s]+)>?$/.exec(from)?.[1] ?? 'localhost'
      try {
        await limit.run(mail.accountId, () =>
          transport.sendMail({
            ...{ from, subject, text, date: createdAt, messageId: `<${id}@${domain}>` },
            // An object, because a text with a comma would be several addresses.
            to: { name: '', address: mail.to },
            // Prevents out-of-office replies.
            headers: { 'auto-submitted': 'auto-generated' },
            ...(html !== undefined && { html }),
          }),
        )
      } catch (error) {
        throw toFailure(error)
      }
    },
    check: async () => {
      try {
        await transport.verify()
      } catch (error) {
        throw toFailure(error)
      }
    },
    close: () => transport.close(),
  }
}

/** Faults of the network and of TLS: Node's own message is safe to show, and says what failed. */
const unreachable: readonly unknown[] = ['ECONNECTION', 'EDNS', 'ESOCKET', 'ETIMEDOUT']

/** The mail server's response may contain the user's address, so its text is omitted. */
function toFailure(error: unknown): MailFailure {
  if (error instanceof MailFailure) return error
  const { code, responseCode, command } = error as {
    code?: unknown
    responseCode?: unknown
    command?: unknown
  } // as nodemailer describes its errors; every member is looked at below
  const status = typeof responseCode === 'number' ? responseCode : undefined
  const isRefused = status !== undefined && status >= 500
  const reason = [code, status, command].filter((each) => each !== undefined).join(' ')
  if (code === 'EAUTH') {
    return new MailFailure(
      `The mail server refused the user or password of SMTP_URL (${reason}).`,
      {
        isFinal: isRefused,
      },
    )
  }
  if (code === 'ETLS') {
    return new MailFailure(`TLS with the mail server failed (${reason}): see SMTP_URL.`, {
      isFinal: isRefused,
    })
  }
  if (unreachable.includes(code) && status === undefined && error instanceof Error) {
    const message = `The mail server of SMTP_URL cannot be reached (${reason}): ${error.message}.`
    return new MailFailure(message, { isFinal: false })
  }
  const message = isRefused
    ? 'The mail server refused the mail'
    : 'The mail server did not accept the mail'
  return new MailFailure(`${message} (${reason || 'unknown reason'}).`, { isFinal: isRefused })
}

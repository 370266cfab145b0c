import { randomUUID } from 'node:crypto'
import { ClienteleError, type SendMail } from '@clientele/core'
import { openSender } from './server/mail/open-mail.ts'
import { readMailSettings } from './server/settings/read-mail-settings.ts'

export interface CommandMail {
  /** Delivers at once; a mail that is refused is not tried again */
  sendMail: SendMail
  /** Resolves when the first mail is delivered, and rejects when it is refused */
  delivered: Promise<void>
  close(): void
}

/**
 * Sends the mails of a command as the server would, by its settings.
 *
 * @throws ClienteleError `mail_unavailable`; SettingsError
 */
export async function openCommandMail(environment: NodeJS.ProcessEnv): Promise<CommandMail> {
  const sender = await openSender(await readMailSettings(environment))
  if (sender === undefined)
    throw new ClienteleError(
      'mail_unavailable',
      'Invitations are mailed: set SMTP_URL and MAIL_FROM, or MAIL_WEBHOOK, as for the server.',
    )
  const first = Promise.withResolvers<void>()
  // Rejected before the command awaits it, or while it fails for another reason
  first.promise.catch(() => {})
  const sendMail: SendMail = async (mail) => {
    const times = { createdAt: new Date(), queuedAt: performance.now() }
    const delivery = sender.deliver({ id: `mail_${randomUUID()}`, ...times, mail })
    delivery.then(first.resolve, first.reject)
    await delivery
  }
  return { sendMail, delivered: first.promise, close: () => sender.close() }
}

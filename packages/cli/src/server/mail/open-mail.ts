import type { SendMail } from '@clientele/core'
import type { Logger } from 'pino'
import { createLogger } from '../logging/create-logger.ts'
import type { Settings } from '../settings/setting-table.ts'
import { MailOutbox } from './mail-outbox.ts'
import type { MailSender } from './mail-sender.ts'

export interface OpenMail {
  /** undefined: mails are neither sent nor logged */
  sendMail: SendMail | undefined
  close(): Promise<void>
}

/** Sends mails as the settings say. @throws SettingsError when templates cannot be used */
export async function openMail(settings: Settings, logger: Logger): Promise<OpenMail> {
  const sender = await openSender(settings)
  const outbox = sender && new MailOutbox(sender, logger)
  if (sender === undefined) {
    const missing = 'SMTP_URL and MAIL_WEBHOOK are not set.'
    const hint = settings.logsMail ? 'LOG_MAIL: mails go to this log alone' : 'No mail is sent'
    logger.info({}, `${hint}: ${missing}`)
  }
  sender
    ?.check?.()
    .catch((error: unknown) => logger.error({ error }, 'The mail server cannot be used now.'))
  // A reader of the log can sign in with a code or a reset token: so log mails only if LOG_MAIL is set.
  const log = settings.logsMail ? createLogger(settings, { hidesSecrets: false }) : undefined
  const sendMail: SendMail = async (mail) => {
    log?.warn({ mail }, 'LOG_MAIL: a mail with its code or token.')
    await outbox?.send(mail)
  }
  const isUsed = settings.logsMail || outbox !== undefined
  return { sendMail: isUsed ? sendMail : undefined, close: async () => outbox?.close() }
}

/** The modules for mail are loaded only if mail is configured. */
export async function openSender(settings: Settings): Promise<MailSender | undefined> {
  const { smtpUrl, mailFrom, mailLocale, mailTemplates } = settings
  const { mailWebhook, mailWebhookSecret } = settings
  if (smtpUrl !== undefined && mailFrom !== undefined) {
    const { createTemplateSearch } = await import('./find-template.ts')
    const { readTemplates } = await import('./read-templates.ts')
    const own =
      mailTemplates === undefined
        ? { all: {}, byLocale: new Map() }
        : await readTemplates(mailTemplates)
    const findTemplate = createTemplateSearch(own, mailLocale)
    const { openSmtpSender } = await import('./smtp-sender.ts')
    return openSmtpSender(smtpUrl, mailFrom, findTemplate)
  }
  if (mailWebhook === undefined || mailWebhookSecret === undefined) return undefined
  const { openWebhookSender } = await import('./webhook-sender.ts')
  return openWebhookSender(mailWebhook, mailWebhookSecret)
}

import { openSender } from '../server/mail/open-mail.ts'
import type { Settings } from '../server/settings/setting-table.ts'
import { examine, type Finding } from './finding.ts'

/** Signs in at the mail server; sends nothing. */
export function examineMail(settings: Settings | undefined): Promise<Finding> {
  return examine('mail', 'check SMTP_URL, MAIL_FROM and MAIL_TEMPLATES', async () => {
    if (settings === undefined)
      return { status: 'warning', message: 'not examined: its settings are not valid' }
    const sender = await openSender(settings)
    if (sender === undefined)
      return {
        status: 'warning',
        message:
          'no mail is sent: resets, verifications, invitations, mailed codes and signing in by them do not work',
        advice: 'set SMTP_URL and MAIL_FROM, or MAIL_WEBHOOK',
      }
    try {
      await sender.check?.()
    } finally {
      sender.close()
    }
    return {
      status: 'ok',
      message:
        sender.check === undefined
          ? 'mails go to MAIL_WEBHOOK, which was not asked'
          : 'the mail server accepts the connection',
    }
  })
}

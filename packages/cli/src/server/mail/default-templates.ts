import type { Mail } from '@clientele/core'

/** The texts of a mail, with placeholders: `{{name}}`. */
export interface MailTemplate {
  subject: string
  text: string
  /** undefined: the mail is only plain text */
  html: string | undefined
}

export type MailTemplates = Record<Mail['kind'], MailTemplate>

export const defaultTemplates: MailTemplates = {
  two_factor_code: toTemplate('Your sign-in code', [
    'Hello {{name}},',
    'your sign-in code is {{code}}. It works once, within {{expires_in_minutes}} minutes.',
    'If you did not try to sign in, another person knows your password: please change it.',
  ]),
  password_reset: toTemplate('Reset your password', [
    'Hello {{name}},',
    'we got a request for a new password for {{email}}. If you made it, enter this code where you requested it:',
    '{{token}}',
    'It works once, within {{expires_in_minutes}} minutes. If it was not you, do nothing: your password stays as it is.',
  ]),
  email_verification: toTemplate('Confirm your e-mail address', [
    'Hello {{name}},',
    'to confirm that {{email}} is your address, enter this code where you were asked for it:',
    '{{token}}',
    'It works once, within {{expires_in_hours}} hours. If you did not expect this mail, do nothing.',
  ]),
}

function toTemplate(subject: string, paragraphs: string[]): MailTemplate {
  const body = paragraphs.map((paragraph) => `<p>${paragraph}</p>`).join('\n')
  return {
    subject,
    text: `${paragraphs.join('\n\n')}\n`,
    html: `<!doctype html>\n<html lang="en">\n<body>\n${body}\n</body>\n</html>\n`,
  }
}

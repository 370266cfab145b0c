import type { Mail } from '@clientele/core'

/** The texts of a mail, with placeholders: `{{name}}`. */
export interface MailTemplate {
  subject: string
  text: string
  /** undefined: the mail is only plain text */
  html: string | undefined
}

/** The templates of one language, by the kind of mail. */
export type MailTemplates = Record<Mail['kind'], MailTemplate>

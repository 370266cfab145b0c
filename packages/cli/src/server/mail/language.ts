import type { Mail } from '@clientele/core'

/** The words of a kind of mail, with placeholders. */
export interface MailWords {
  subject: string
  /** What stands before the code */
  before: string
  /** The paragraphs after it */
  after: string[]
}

/** The words of all mails in one language. */
export interface Language {
  greeting: string
  mails: Record<Mail['kind'], MailWords>
}

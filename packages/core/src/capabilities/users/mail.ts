import type { ClientUser } from '../../user-model/client-user.ts'

interface MailToUser {
  accountId: string
  user: ClientUser
  /** How long what it carries is good for, in seconds */
  expiresInSeconds: number
}

/** What the host is asked to send. It writes the words, and the link: none is made from a request. */
export type Mail =
  | (MailToUser & { kind: 'two_factor_code'; code: string })
  | (MailToUser & { kind: 'password_reset'; token: string })
  | (MailToUser & { kind: 'email_verification'; token: string })

/** Sends a mail to `mail.user.email`. When it throws, that is logged; whoever asked for the mail is not told. */
export type SendMail = (mail: Mail) => Promise<void>

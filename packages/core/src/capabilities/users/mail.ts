import type { ClientUser } from '../../user-model/client-user.ts'

interface MailToUser {
  accountId: string
  /** The address to send it to: the user's own, or for `email_change` the new one */
  to: string
  user: ClientUser
  /** The language that the request named, a tag of BCP 47 in its canonical form; undefined: it named none */
  locale?: string | undefined
  /** How long its code or token is valid, in seconds */
  expiresInSeconds: number
}

/** An e-mail that the host is asked to send. The host writes the text and the link: no link is made from a request. */
export type Mail =
  | (MailToUser & { kind: 'two_factor_code'; code: string })
  /** The code to type, or the token for a link to the page that asked: both need the challenge of that page */
  | (MailToUser & { kind: 'sign_in_code'; code: string; token: string })
  | (MailToUser & { kind: 'password_reset'; token: string })
  | (MailToUser & { kind: 'email_verification'; token: string })
  | (MailToUser & { kind: 'invitation'; token: string })
  /** To the new address: its token confirms the change */
  | (MailToUser & { kind: 'email_change'; token: string })
  /** To the user's address, before it changes: its token cancels the change, or takes the address back */
  | (MailToUser & { kind: 'email_change_notice'; token: string })

/**
 * Sends an e-mail to `mail.to`. An error that it throws is logged; the caller who requested the e-mail does not
 * see it.
 */
export type SendMail = (mail: Mail) => Promise<void>

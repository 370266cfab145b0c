import type { Mail } from '@clientele/core'
import { Router } from 'express'
import { type Html, html } from './web/html.ts'
import { page } from './web/page.ts'

interface KeptMail {
  to: string
  subject: string
  /** A code to type */
  code?: string
  link?: string
}

const kept: KeptMail[] = []

/** Writes a mail as a site does, but shows it in the terminal and on a page in place of sending it. */
export function keepMail(mail: Mail, origin: string): void {
  const written = write(mail, origin)
  kept.unshift(written)
  kept.length = Math.min(kept.length, 20)
  const { to, subject, code = '', link = '' } = written
  console.log(`Mail to ${to}: ${subject} ${code} ${link}`)
}

function write(mail: Mail, origin: string): KeptMail {
  const { to } = mail
  switch (mail.kind) {
    case 'invitation':
      return {
        ...{ to, subject: 'You are invited to Acme: choose a password' },
        link: `${origin}/invitation?token=${mail.token}`,
      }
    case 'sign_in_code':
      // What stands behind # is sent to no server: the page itself puts it into its form.
      return {
        ...{ to, subject: 'Your code to sign in', code: mail.code },
        link: `${origin}/sign-in/mailed#${mail.token}`,
      }
    case 'password_reset':
      return {
        ...{ to, subject: 'Choose a new password' },
        link: `${origin}/reset?token=${mail.token}`,
      }
    case 'email_verification':
      // This site asks for none: invitations, codes and resets prove the address.
      return { to, subject: 'Confirm your address', code: mail.token }
    case 'two_factor_code':
      return { to, subject: 'Your second factor', code: mail.code }
    case 'email_change':
      return {
        ...{ to, subject: 'Confirm your new address' },
        link: `${origin}/email/confirm?token=${mail.token}`,
      }
    case 'email_change_notice':
      return {
        ...{ to, subject: 'Your address is being changed: was it you?' },
        link: `${origin}/email/undo?token=${mail.token}`,
      }
  }
}

export const mailbox = Router()

mailbox.get('/mails', (_req, res) => {
  const none = html`<p>Nothing has been mailed since the site was started.</p>`
  const list = html`<ul class="mails">${kept.map(toItem)}</ul>`
  page(res, { title: 'Mails', content: kept.length === 0 ? none : list })
})

function toItem({ to, subject, code, link }: KeptMail): Html {
  return html`<li>
    <strong>${subject}</strong>
    <span>To ${to}</span>
    ${code !== undefined && html`<code>${code}</code>`}
    ${link !== undefined && html`<a href="${link}">Open the link</a>`}
  </li>`
}

import type { Mail } from '@clientele/core'
import type { MailTemplate } from './mail-template.ts'

/** A placeholder in a template. */
export const placeholder = /\{\{([^{}]*)\}\}/g

/** Embeddings, overrides and isolates: in a name they would reorder the words after it, or the code. */
const directionControls = /[\u202a-\u202e\u2066-\u2069]/g

/**
 * What mail programs make links of, the dots of other scripts too (IDNA): in a name, a stranger would have us mail a link to
 * anybody.
 */
const linkSigns = /[.\u3002\uff0e\uff61:/@](?=\S)/g

/** The placeholders of what each kind of mail is sent for; a text must have the first. */
const secrets = {
  two_factor_code: ['code'],
  sign_in_code: ['code', 'token'],
  password_reset: ['token'],
  email_verification: ['token'],
  invitation: ['token'],
  email_change: ['token'],
  email_change_notice: ['token'],
} as const satisfies Record<Mail['kind'], readonly ('code' | 'token')[]>

/** The kinds of mails. */
export const kinds = Object.keys(secrets) as Mail['kind'][] // exactly these, by its type

/** The placeholder that a mail is useless without. */
export function secretOf(kind: Mail['kind']): 'code' | 'token' {
  return secrets[kind][0]
}

/** The placeholders of a mail's templates; the first is required. */
export function listPlaceholders(kind: Mail['kind']): string[] {
  return [
    ...secrets[kind],
    'name',
    'email',
    'to',
    'user_id',
    'account_id',
    'expires_in_minutes',
    'expires_in_hours',
    'expires_in_days',
  ]
}

/** Puts a mail's values into its templates. HTML gets them escaped. */
export function renderMail(template: MailTemplate, mail: Mail): MailTemplate {
  const { to, user, accountId, expiresInSeconds } = mail
  const values: Record<string, string> = {
    ...('code' in mail && { code: mail.code }),
    ...('token' in mail && { token: mail.token }),
    name: user.name.replace(directionControls, ''),
    email: user.email,
    to,
    user_id: user.id,
    account_id: accountId,
    expires_in_minutes: String(Math.ceil(expiresInSeconds / 60)),
    expires_in_hours: String(Math.ceil(expiresInSeconds / 3600)),
    expires_in_days: String(Math.ceil(expiresInSeconds / 86_400)),
  }
  // A word joiner is not seen, and no link goes on behind it.
  const inBodies = { ...values, name: (values.name ?? '').replace(linkSigns, '$&\u2060') }
  const { subject, text, html } = template
  return {
    subject: fill(subject, values, (value) => value).trim(),
    text: fill(text, inBodies, (value) => value),
    html: html === undefined ? undefined : fill(html, inBodies, escapeHtml),
  }
}

function fill(
  text: string,
  values: Record<string, string>,
  encode: (value: string) => string,
): string {
  return text.replace(placeholder, (_, name: string) => encode(values[name.trim()] ?? ''))
}

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escapeHtml(value: string): string {
  return value.replace(/[&<>"']/g, (character) => entities[character] ?? '')
}

import { toLanguageTag } from '@clientele/core/database-url'

// Readers of the settings about mail; see setting-readers.ts.

/** The mail library has more parameters. Some would log codes and passwords, and others would turn off encryption. */
const smtpParameters = new Map([
  ['requireTLS', /^(true|false)$/],
  ['tls.rejectUnauthorized', /^(true|false)$/],
  ['tls.servername', /./],
  ['name', /./],
])

export function readSmtpUrl(text: string): string {
  const { protocol = '', hostname = '', searchParams = [] } = URL.parse(text) ?? {}
  if (!/^smtps?:$/.test(protocol) || hostname === '') {
    throw new Error('must be smtp://user:password@host:port, or smtps:// for TLS from the start')
  }
  for (const [name, value] of searchParams) {
    if (!smtpParameters.get(name)?.test(value)) {
      const known = [...smtpParameters.keys()].join(', ')
      throw new Error(`may have these parameters only: ${known}. The first two are true or false`)
    }
  }
  return text
}

export function readMailFrom(text: string): string {
  const address = /^(?:[^<>\p{Cc}]+ <)?[^\s<>@,;]+@[^\s<>@,;]+>?$/u
  if (address.test(text) && text.includes('<') === text.endsWith('>')) return text
  throw new Error('must be an address: no-reply@example.com, or Acme <no-reply@example.com>')
}

export function readMailLocale(text: string): string {
  const tag = toLanguageTag(text)
  if (tag !== undefined) return tag
  throw new Error('must be a language tag (BCP 47): de, or pt-BR')
}

export function readWebhookUrl(text: string): string {
  const { protocol = '', username, password } = URL.parse(text) ?? {}
  if (/^https?:$/.test(protocol) && !(username || password)) return text
  throw new Error('must be an http or https URL without user and password')
}

/** A secret of Standard Webhooks. */
export function readWebhookSecret(text: string): string {
  const [, encoded = ''] = /^whsec_([A-Za-z0-9+/]+=*)$/.exec(text) ?? []
  const { length } = Buffer.from(encoded, 'base64')
  if (length >= 24 && length <= 64) return text
  throw new Error(
    'must be whsec_ and 24 to 64 bytes in base64: echo "whsec_$(openssl rand -base64 32)"',
  )
}

/** The rules between settings: those about mail, and those about hooks. */
export function checkPairs(isSet: (variable: string) => boolean): string[] {
  const needs = (variable: string, other: string): string[] =>
    isSet(variable) && !isSet(other) ? [`${variable} needs ${other}.`] : []
  const clash = isSet('SMTP_URL') && isSet('MAIL_WEBHOOK')
  return [
    ...(clash ? ['SMTP_URL and MAIL_WEBHOOK are both set: set only one of them.'] : []),
    ...needs('SMTP_URL', 'MAIL_FROM'),
    ...(clash ? [] : needs('MAIL_FROM', 'SMTP_URL')),
    ...(clash ? [] : needs('MAIL_TEMPLATES', 'SMTP_URL')),
    ...(clash ? [] : needs('MAIL_LOCALE', 'SMTP_URL')),
    ...needs('MAIL_WEBHOOK', 'MAIL_WEBHOOK_SECRET'),
    ...needs('MAIL_WEBHOOK_SECRET', 'MAIL_WEBHOOK'),
    ...needs('HOOK_URL', 'HOOK_SECRET'),
    ...needs('HOOK_SECRET', 'HOOK_URL'),
  ]
}

import { z } from 'zod'
import { labelSchema } from '../../base/input/bounded-text.ts'
import { dnsLabel } from './account-names.ts'

/** An account's settings for its users' passkeys (WebAuthn Level 3). */
export interface PasskeySettings {
  /** The site that passkeys are for: a domain without scheme and port */
  rpId: string
  /** The name of the site that the browser shows */
  rpName: string
  /** The origins of the pages that use passkeys, 1 to 20 */
  origins: string[]
  /** Whether enrolment needs the user's own token */
  requireToken: boolean
}

const appOrigin = /^(android:apk-key-hash|ios:bundle-id):[\x21-\x7e]{1,200}$/

function isDomain(text: string): boolean {
  // A name that ends in a number is an IP address.
  return text.split('.').every((part) => dnsLabel.test(part)) && !/(^|\.)\d+$/.test(text)
}

/** Pages use https; browsers make an exception for localhost only. */
function isOrigin(text: string): boolean {
  if (appOrigin.test(text)) return true
  if (!URL.canParse(text)) return false
  const { protocol, hostname, origin } = new URL(text)
  const isLocal = hostname === 'localhost' || hostname.endsWith('.localhost')
  return origin === text && (protocol === 'https:' || (protocol === 'http:' && isLocal))
}

export const passkeySettingsSchema = z.strictObject({
  rpId: z
    .string()
    .max(253)
    .refine(isDomain, {
      params: { code: 'format' },
      message: 'must be a domain in lower case: example.com',
    }),
  rpName: labelSchema,
  origins: z
    .array(
      z
        .string()
        .max(300)
        .refine(isOrigin, {
          params: { code: 'format' },
          message: 'must be an origin: https://example.com',
        }),
    )
    .min(1)
    .max(20)
    .overwrite((list) => [...new Set(list)]),
  requireToken: z.boolean().default(false),
})
export type PasskeySettingsInput = z.input<typeof passkeySettingsSchema>

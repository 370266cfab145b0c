import { boundedText } from '../base/input/bounded-text.ts'
import { countCodePoints } from '../base/input/input.ts'
import { toAsciiDomain, unifyDomain } from './email-domain.ts'

/** The longest address that SMTP can carry (RFC 5321, with its erratum 1690). */
export const maxEmailLength = 254
/** More UTF-16 units than any address has, also before it is normalised */
export const maxEmailUnits = 4 * maxEmailLength

// Dot-atoms of RFC 5322 and RFC 6531 before the @; after it at least two labels of letters, digits and hyphens, the
// last one not a number. No quoted local parts, comments or address literals: users do not sign in with them, and
// parsers disagree about them.
const atom = "[\\p{L}\\p{M}\\p{N}!#$%&'*+/=?^_`{|}~-]+"
const label = '[\\p{L}\\p{N}](?:[\\p{L}\\p{M}\\p{N}-]{0,61}[\\p{L}\\p{M}\\p{N}])?'
const addressPattern = new RegExp(
  `^(?=.{1,64}@)${atom}(?:\\.${atom})*@(?:${label}\\.)+(?!\\p{N}+$)${label}$`,
  'u',
)

// Some letters and marks are invisible (U+115F, U+034F, variation selectors), and NFKC keeps them.
const invisible = /\p{Default_Ignorable_Code_Point}/u

/**
 * Normalises an address to its stored and unique form: trimmed, NFC, lower case, its domain in one spelling. Applying
 * it twice changes nothing.
 */
function normalizeEmail(text: string): string {
  // Lower case can undo NFC (U+0130 becomes two code points), so NFC is applied again.
  const address = text.trim().normalize('NFC').toLowerCase().normalize('NFC')
  // IDNA would drop invisible characters and fold look-alikes: these are refused, not repaired.
  if (!isWellFormed(address)) return address
  const [local, domain] = splitAddress(address)
  return `${local}@${unifyDomain(domain, (letters) => isWellFormed(`${local}@${letters}`))}`
}

function isWellFormed(address: string): boolean {
  // Full-width and other compatibility letters would allow a second account that looks like the first.
  return (
    addressPattern.test(address) &&
    address.normalize('NFKC') === address &&
    !invisible.test(address)
  )
}

/** Whether a normalised address is acceptable. */
function isEmailAddress(address: string): boolean {
  return isWellFormed(address) && toAsciiDomain(splitAddress(address)[1]) !== undefined
}

/** E-mail is also sent to its ASCII spelling, which has the same limit. */
function fitsInAscii(address: string): boolean {
  // Another rule has already reported too many characters.
  if (countCodePoints(address) > maxEmailLength) return true
  const [local, domain] = splitAddress(address)
  return countCodePoints(`${local}@${toAsciiDomain(domain)}`) <= maxEmailLength
}

/** The pattern allows one `@`. */
function splitAddress(address: string): [local: string, domain: string] {
  const at = address.indexOf('@')
  return [address.slice(0, at), address.slice(at + 1)]
}

export const emailSchema = boundedText(normalizeEmail, 1, maxEmailLength)
  .refine(isEmailAddress, {
    params: { code: 'format' },
    message: 'must be an e-mail address',
    abort: true,
  })
  .refine(fitsInAscii, {
    params: { code: 'too_long' },
    message: `must have at most ${maxEmailLength} characters in both spellings of its domain`,
  })
  // RFC 6531: letters beyond ASCII are taken, which the format `email` does not allow.
  .meta({
    minLength: 3,
    maxLength: maxEmailLength,
    format: 'idn-email',
    examples: ['ada@example.com'],
  })

/**
 * An address to search for. The rules for new addresses do not apply: an invalid address is answered like one without a
 * user.
 */
export const givenEmailSchema = boundedText(normalizeEmail, 1, 320).meta({
  minLength: 1,
  maxLength: 320,
  examples: ['ada@example.com'],
})

/** The stored form of a text that may be an address; undefined when it is not one. */
export function readEmailAddress(text: string): string | undefined {
  return emailSchema.safeParse(text).data
}

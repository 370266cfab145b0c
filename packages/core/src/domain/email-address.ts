import { boundedText } from './bounded-text.ts'

/** The longest address that SMTP can carry (RFC 5321, with its erratum 1690). */
export const maxEmailLength = 254

// Dot-atoms of RFC 5322 and RFC 6531 before the @; labels of letters, digits and hyphens behind it, at least two, the
// last one not a number. No quoted local parts, comments or address literals: nobody signs in with them, and they are
// what parsers disagree about.
const atom = "[\\p{L}\\p{M}\\p{N}!#$%&'*+/=?^_`{|}~-]+"
const label = '[\\p{L}\\p{N}](?:[\\p{L}\\p{M}\\p{N}-]{0,61}[\\p{L}\\p{M}\\p{N}])?'
const addressPattern = new RegExp(
  `^(?=.{1,64}@)${atom}(?:\\.${atom})*@(?:${label}\\.)+(?!\\p{N}+$)${label}$`,
  'u',
)

// Some letters and marks take no space (U+115F, U+034F, variation selectors), and NFKC keeps them.
const invisible = /\p{Default_Ignorable_Code_Point}/u

/**
 * Brings an address to the form in which it is stored, compared and unique: trimmed, NFC, lower case. Applying it
 * twice changes nothing.
 */
export function normalizeEmail(text: string): string {
  // Lower case can undo NFC (U+0130 becomes two code points), hence NFC once more.
  return text.trim().normalize('NFC').toLowerCase().normalize('NFC')
}

/** Whether a normalised address is one that we take. */
export function isEmailAddress(address: string): boolean {
  // Full-width and other compatibility letters would make a second account that looks like the first.
  return (
    addressPattern.test(address) &&
    address.normalize('NFKC') === address &&
    !invisible.test(address)
  )
}

export const emailSchema = boundedText(normalizeEmail, 1, maxEmailLength)
  .refine(isEmailAddress, {
    params: { code: 'format' },
    message: 'must be an e-mail address',
    abort: true,
  })
  .meta({ minLength: 3, maxLength: maxEmailLength, format: 'email', examples: ['ada@example.com'] })

/** An address that is looked for. Not the rule for new ones: a wrong one is nobody's, and which it is must not show. */
export const givenEmailSchema = boundedText(normalizeEmail, 1, 320).meta({
  minLength: 1,
  maxLength: 320,
  examples: ['ada@example.com'],
})

/** The stored form of a text that may be an address; undefined when it is none. */
export function readEmailAddress(text: string): string | undefined {
  return emailSchema.safeParse(text).data
}

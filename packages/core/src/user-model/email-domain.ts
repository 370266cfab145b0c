import { domainToASCII, domainToUnicode } from 'node:url'

/** The longest name that DNS can carry, and the longest label of one, in ASCII (RFC 1035). */
const maxDomainLength = 253
const maxLabelLength = 63

const ascii = /^\p{ASCII}*$/u
const encoded = /(?:^|\.)xn--/

/**
 * Brings the two spellings of a domain (`münchen.de`, `xn--mnchen-3ya.de`; IDNA) to one: letters where `isTaken` takes
 * them, else ASCII. The domain is in lower case; one that is none stays as it is.
 */
export function unifyDomain(domain: string, isTaken: (letters: string) => boolean): string {
  // Of plain ASCII there is no other spelling, and the WHATWG's algorithm would read numbers as an IPv4 address.
  if (ascii.test(domain) && !encoded.test(domain)) return domain
  const inAscii = domainToASCII(domain)
  if (inAscii === '') return domain
  const letters = domainToUnicode(inAscii)
  return isTaken(letters) && domainToASCII(letters) === inAscii ? letters : inAscii
}

/** The spelling of a domain that DNS and every mail server know; undefined when it has none. */
export function toAsciiDomain(domain: string): string | undefined {
  const inAscii = ascii.test(domain) ? domain : domainToASCII(domain)
  const labels = inAscii.split('.')
  const fits = labels.every((label) => label !== '' && label.length <= maxLabelLength)
  return fits && inAscii.length <= maxDomainLength ? inAscii : undefined
}

import { domainToASCII, domainToUnicode } from 'node:url'

/** The maximum lengths of a DNS name and of its labels, in ASCII (RFC 1035). */
const maxDomainLength = 253
const maxLabelLength = 63

const ascii = /^\p{ASCII}*$/u
const encoded = /(?:^|\.)xn--/

/**
 * Converts the two spellings of a domain (`münchen.de`, `xn--mnchen-3ya.de`; IDNA) to one: letters if `isTaken` accepts
 * them, otherwise ASCII. The domain is in lower case; an invalid one stays as it is.
 */
export function unifyDomain(domain: string, isTaken: (letters: string) => boolean): string {
  // Plain ASCII has no other spelling, and the WHATWG algorithm would read numbers as an IPv4 address.
  if (ascii.test(domain) && !encoded.test(domain)) return domain
  const inAscii = domainToASCII(domain)
  if (inAscii === '') return domain
  const letters = domainToUnicode(inAscii)
  return isTaken(letters) && domainToASCII(letters) === inAscii ? letters : inAscii
}

/** The spelling of a domain that DNS and every mail server know; undefined when there is none. */
export function toAsciiDomain(domain: string): string | undefined {
  const inAscii = ascii.test(domain) ? domain : domainToASCII(domain)
  const labels = inAscii.split('.')
  const fits = labels.every((label) => label !== '' && label.length <= maxLabelLength)
  return fits && inAscii.length <= maxDomainLength ? inAscii : undefined
}

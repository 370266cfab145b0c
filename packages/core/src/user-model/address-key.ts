import { readEmailAddress } from './email-address.ts'
import { toSearchKey } from './search-key.ts'

const hasTwoSpellings = /xn--|\P{ASCII}/iu

/** The search key of a text that may be an address: the domain of one may be given in either spelling (IDNA). */
export function toAddressKey(text: string): string {
  const at = text.indexOf('@')
  const mayDiffer = at !== -1 && hasTwoSpellings.test(text.slice(at))
  return toSearchKey((mayDiffer ? readEmailAddress(text) : undefined) ?? text)
}

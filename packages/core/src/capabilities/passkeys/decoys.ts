import { createHash } from 'node:crypto'
import type { Call } from '../../base/call/call.ts'
import { maxPasskeys } from './passkey.ts'
import type { PasskeysServices } from './services.ts'

/** How many bytes phones, computers, password managers and security keys give the id of a passkey */
const idLengths = [16, 20, 32, 48, 64]

/**
 * Makes ids of passkeys up for an e-mail that nobody has, or whose user has none: at a site the same each time, so that
 * nobody can tell them from passkeys. Nor does their number tell: one more is half as frequent.
 */
export function makeDecoys(
  { encryptor }: PasskeysServices,
  { accountId }: Call,
  email: string,
  rpId: string,
): string[] {
  const seed = encryptor.digest(email, `passkeys ${accountId} ${rpId}`)
  const take = (label: string) => createHash('sha512').update(`${seed} ${label}`).digest()
  const bits = [...take('count')].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  const count = Math.min(maxPasskeys, 1 + bits.indexOf('0'))
  return Array.from({ length: count }, (_, index) => {
    const [chosen = 0] = take(`length ${index}`)
    const length = idLengths[chosen % idLengths.length]
    return take(`id ${index}`).subarray(0, length).toString('base64url')
  })
}

import { createHash } from 'node:crypto'
import type { Call } from '../call.ts'
import type { Services } from '../services.ts'
import { maxPasskeys } from './passkey.ts'
import type { PasskeyRecord } from './store.ts'

type Credential = Pick<PasskeyRecord, 'credentialId' | 'transports'>

/** As phones, computers, password managers and security keys make them */
const kinds: readonly { idBytes: number; transports: string[] }[] = [
  { idBytes: 16, transports: ['hybrid', 'internal'] },
  { idBytes: 20, transports: ['hybrid', 'internal'] },
  { idBytes: 32, transports: ['internal'] },
  { idBytes: 48, transports: ['nfc', 'usb'] },
]

/**
 * Makes passkeys up for an e-mail that nobody has, or whose user has none: the same each time, so that nobody can tell them
 * from passkeys. Nor does their number tell: one more is half as frequent.
 */
export function makeDecoys(
  { encryptor }: Services,
  { accountId }: Call,
  email: string,
): Credential[] {
  const seed = encryptor.digest(email, `passkeys ${accountId}`)
  const take = (label: string) => createHash('sha512').update(`${seed} ${label}`).digest()
  const bits = [...take('count')].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  const count = Math.min(maxPasskeys, 1 + bits.indexOf('0'))
  return Array.from({ length: count }, (_, index) => {
    const bytes = take(String(index))
    const kind = kinds[(bytes[63] ?? 0) % kinds.length]
    return {
      credentialId: bytes.subarray(0, kind?.idBytes).toString('base64url'),
      transports: kind?.transports ?? [],
    }
  })
}

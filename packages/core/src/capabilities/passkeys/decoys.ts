import { createHash, generateKeyPairSync } from 'node:crypto'
import type { Call } from '../../base/call/call.ts'
import { maxPasskeys } from './passkey.ts'
import type { PasskeysServices } from './services.ts'
import type { KnownPasskey } from './verify-response.ts'

/** The lengths of passkey ids, in bytes, on phones, computers, password managers and security keys */
const idLengths = [16, 20, 32, 48, 64]

/**
 * Makes up passkey ids for an unknown e-mail or a user without passkeys. They are stable per site and e-mail and look
 * like real ones. Nor does their number reveal them: as among real users, each further passkey is half as frequent.
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

let decoyKey: string | undefined

/** A passkey of no user, by which a use with an unknown id is verified: it must take as long as a known one's. */
export function makeDecoyPasskey(credentialId: string, rpId: string): KnownPasskey {
  decoyKey ??= makeDecoyKey()
  return { credentialId, rpId, publicKey: decoyKey, counter: 0, isSynced: true, userId: '' }
}

/** A public key of ES256, the usual algorithm, as COSE (RFC 9052) */
function makeDecoyKey(): string {
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  // kty: EC2, alg: ES256, crv: P-256, x and y
  const key = [
    Buffer.from('a5010203262001215820', 'hex'),
    Buffer.from(x, 'base64url'),
    Buffer.from('225820', 'hex'),
    Buffer.from(y, 'base64url'),
  ]
  return Buffer.concat(key).toString('base64url')
}

import { createHmac, type KeyObject, sign } from 'node:crypto'
import type { Encryptor } from '../crypto/encryptor.ts'
import type { KeyRing } from './key-ring.ts'
import { readPrivateKey, type SigningAlgorithm } from './signing-key.ts'

/** Signs JSON as a compact JWS (RFC 7515), at once. */
type JwsSigner = (payload: string) => string

/**
 * Makes ready to sign with the key that signs now. jose signs by promises, and a transaction on SQLite waits for none.
 *
 * @param type `typ`: what nobody takes for a token
 * @throws ClienteleError `secret_wrong`
 */
export async function createJwsSigner(
  { keyRing, encryptor }: { keyRing: KeyRing; encryptor: Encryptor },
  type: string,
): Promise<JwsSigner> {
  const key = await keyRing.active()
  const { id: kid, algorithm: alg } = key
  const privateKey = readPrivateKey(key, encryptor)
  const head = encode(JSON.stringify({ alg, typ: type, kid }))
  return (payload) => {
    const signed = `${head}.${encode(payload)}`
    return `${signed}.${signatureOf(alg, Buffer.from(signed), privateKey).toString('base64url')}`
  }
}

function encode(text: string): string {
  return Buffer.from(text).toString('base64url')
}

function signatureOf(algorithm: SigningAlgorithm, data: Buffer, key: KeyObject): Buffer {
  switch (algorithm) {
    case 'HS256':
      return createHmac('sha256', key).update(data).digest()
    case 'EdDSA':
      return sign(null, data, key)
    case 'ES256':
      // As RFC 7518, section 3.4, writes it
      return sign('sha256', data, { key, dsaEncoding: 'ieee-p1363' })
    case 'RS256':
      return sign('sha256', data, key)
  }
}

import { type KeyObject, sign } from 'node:crypto'
import type { KeyRing } from './key-ring.ts'
import type { SigningAlgorithm } from './signing-key.ts'

/** Signs JSON as a compact JWS (RFC 7515), synchronously. */
type JwsSigner = (payload: string) => string

/**
 * Creates a function that signs with the account's present signing key; creates the key if there is none. The function
 * is synchronous: a transaction on SQLite cannot wait for a promise, and the library jose signs asynchronously only.
 *
 * @param type the `typ`, which keeps the JWS from being taken for a token
 * @throws ClienteleError `account_not_found`, `secret_wrong`
 */
export async function createJwsSigner(
  { keyRing }: { keyRing: KeyRing },
  accountId: string,
  type: string,
): Promise<JwsSigner> {
  const { id: kid, algorithm: alg, privateKey } = await keyRing.findSigner(accountId)
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
    case 'EdDSA':
      return sign(null, data, key)
    case 'ES256':
      // As in RFC 7518, section 3.4
      return sign('sha256', data, { key, dsaEncoding: 'ieee-p1363' })
    case 'RS256':
      return sign('sha256', data, key)
  }
}

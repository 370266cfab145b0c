export const asymmetricAlgorithms = [
  'EdDSA',
  'Ed25519',
  'ES256',
  'ES384',
  'ES512',
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
] as const
const symmetricAlgorithms = ['HS256', 'HS384', 'HS512'] as const
export const issuerAlgorithms = [...asymmetricAlgorithms, ...symmetricAlgorithms] as const

/** A JWS algorithm (RFC 7518, RFC 8037, RFC 9864) that tokens of another issuer may be signed with. */
export type IssuerAlgorithm = (typeof issuerAlgorithms)[number]

/** Whether two names mean the same algorithm: `Ed25519` is the new name of `EdDSA` (RFC 9864). */
export function isSameAlgorithm(left: unknown, right: unknown): boolean {
  return nameOnce(left) === nameOnce(right)
}

function nameOnce(name: unknown): unknown {
  return name === 'Ed25519' ? 'EdDSA' : name
}

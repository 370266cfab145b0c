import { findRsaProblem, maxRsaBytes } from '../../base/crypto/find-rsa-problem.ts'
import { asymmetricAlgorithms, isSameAlgorithm } from './issuer-algorithms.ts'

/** A public key as JSON (RFC 7517). */
export type PublicJwk = Readonly<Record<string, unknown>>

const rsaAlgorithms: readonly string[] = asymmetricAlgorithms.filter((name) => /^[RP]S/.test(name))
const algorithmsByCurve: Readonly<Record<string, readonly string[]>> = {
  'EC P-256': ['ES256'],
  'EC P-384': ['ES384'],
  'EC P-521': ['ES512'],
  'OKP Ed25519': ['EdDSA', 'Ed25519'],
}
const privateMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k']
/** Longer than the base64url of a number of that size. */
const maxNumberLength = 2 * maxRsaBytes
const numberMembers = ['x', 'y', 'n', 'e']

/** The algorithms that a public key may verify, by its type and its `alg`. */
export function algorithmsOf(jwk: PublicJwk): readonly string[] {
  const { kty, crv, alg, use, key_ops } = jwk
  if (use !== undefined && use !== 'sig') return []
  if (key_ops !== undefined && !(Array.isArray(key_ops) && key_ops.includes('verify'))) return []
  const possible = kty === 'RSA' ? rsaAlgorithms : algorithmsOfCurve(kty, crv)
  return alg === undefined ? possible : possible.filter((name) => isSameAlgorithm(name, alg))
}

function algorithmsOfCurve(kty: unknown, crv: unknown): readonly string[] {
  if (typeof kty !== 'string' || typeof crv !== 'string') return []
  return algorithmsByCurve[`${kty} ${crv}`] ?? []
}

/** Long enough for every thumbprint and certificate hash */
const maxKidLength = 256

/** Why a key cannot be accepted; undefined when it can. */
export function findJwkProblem(jwk: PublicJwk): string | undefined {
  if (privateMembers.some((name) => name in jwk))
    return 'holds a private or symmetric key: give its public part'
  if (jwk.kid !== undefined && typeof jwk.kid !== 'string') return 'has a kid that is not a text'
  if (lengthOf(jwk.kid) > maxKidLength) return `has a kid of more than ${maxKidLength} characters`
  if (numberMembers.some((name) => lengthOf(jwk[name]) > maxNumberLength))
    return `has a number of more than ${maxNumberLength} characters`
  if (algorithmsOf(jwk).length === 0) return 'is not a key that verifies signatures'
  if (jwk.kty === 'OKP' && hasSmallOrder(jwk.x))
    return 'is an Ed25519 key of small order, whose signatures need no private key'
  return jwk.kty === 'RSA' ? findRsaProblem(bytesOf(jwk.n), bytesOf(jwk.e)) : undefined
}

/** The points of edwards25519 whose order divides eight, without the sign: each way to write them, as in libsodium */
const smallOrderPoints = new Set([
  '0'.repeat(64),
  `01${'0'.repeat(62)}`,
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  `ec${'f'.repeat(60)}7f`,
  `ed${'f'.repeat(60)}7f`,
  `ee${'f'.repeat(60)}7f`,
])

function hasSmallOrder(x: unknown): boolean {
  const point = Buffer.from(typeof x === 'string' ? x : '', 'base64url')
  if (point.length !== 32) return false
  point[31] = (point[31] ?? 0) & 0x7f
  return smallOrderPoints.has(point.toString('hex'))
}

function lengthOf(value: unknown): number {
  return typeof value === 'string' ? value.length : 0
}

function bytesOf(value: unknown): Buffer {
  const text = typeof value === 'string' && value.length <= maxNumberLength ? value : ''
  return Buffer.from(text, 'base64url')
}

import { z } from 'zod'
import { codePoints } from '../input/input.ts'
import { algorithmsOf, asymmetricAlgorithms, findJwkProblem, type PublicJwk } from './public-jwk.ts'

const symmetricAlgorithms = ['HS256', 'HS384', 'HS512'] as const
const algorithms = [...asymmetricAlgorithms, ...symmetricAlgorithms] as const

/** A JWS algorithm (RFC 7518, RFC 8037) that tokens of another issuer may be signed with. */
export type IssuerAlgorithm = (typeof algorithms)[number]

const userClaims = ['sub', 'user_id', 'email'] as const

/** The claim that names the user: `sub` and `user_id` hold the user's id here, `email` the address. */
export type UserClaim = (typeof userClaims)[number]

/** An issuer whose tokens an account accepts beside ours; never its shared secret. */
export interface TrustedIssuer {
  id: string
  /** `iss` of its tokens, compared character by character */
  issuer: string
  /** What `aud` of its tokens must be or hold */
  audience: string
  algorithms: IssuerAlgorithm[]
  userClaim: UserClaim
  keySource: 'shared_secret' | 'public_keys' | 'jwks_url'
  publicKeys: PublicJwk[] | null
  jwksUrl: string | null
  /** How long after `iat` the `exp` of its tokens may be at most */
  maxLifetimeSeconds: number
  /** Whether an e-mail names a user without `email_verified: true` in the token */
  trustUnverifiedEmail: boolean
  createdAt: Date
  updatedAt: Date
}

const maxLifetimeSeconds = z
  .int()
  .min(1)
  .max(366 * 86_400)

const issuerFields = z.strictObject({
  issuer: codePoints(z.string(), 1, 255),
  audience: codePoints(z.string(), 1, 255),
  algorithms: z
    .array(z.enum(algorithms))
    .min(1)
    .overwrite((list) => [...new Set(list)]),
  userClaim: z.enum(userClaims).default('sub'),
  /** As long as the hash of each algorithm at least: 32 bytes for HS256 (RFC 7518, section 3.2) */
  sharedSecret: z.string().max(1024).optional(),
  /** JWKs (RFC 7517) */
  publicKeys: z
    .array(z.looseObject({ kty: z.string() }))
    .min(1)
    .max(20)
    .optional(),
  /** https; read when it is needed */
  jwksUrl: z.string().max(2048).optional(),
  /** Longer-lived tokens are refused: at most a year, 24 hours unless given */
  maxLifetimeSeconds: maxLifetimeSeconds.default(86_400),
  /** Takes an e-mail for the user's although the token does not call it verified */
  trustUnverifiedEmail: z.boolean().default(false),
})

export const newIssuerSchema = issuerFields.check((context) => {
  const { value } = context
  const report = (path: (string | number)[], code: string, message: string): void => {
    context.issues.push({
      code: 'custom',
      params: { code },
      message,
      path,
      input: value,
      continue: true,
    })
  }
  const sources = [value.sharedSecret, value.publicKeys, value.jwksUrl]
  if (sources.filter((source) => source !== undefined).length !== 1) {
    report([], 'key_source', 'must have exactly one of sharedSecret, publicKeys and jwksUrl')
    return
  }
  const isSymmetric = value.sharedSecret !== undefined
  for (const [index, name] of value.algorithms.entries()) {
    // A public key that is taken for a shared secret lets anybody sign (RFC 8725, section 2.1).
    if (name.startsWith('HS') !== isSymmetric)
      report(['algorithms', index], 'value', 'does not go with this kind of key')
  }
  if (value.sharedSecret !== undefined) {
    const bits = Math.max(...value.algorithms.map((name) => Number(name.slice(2))))
    if (Buffer.byteLength(value.sharedSecret) * 8 < bits)
      report(['sharedSecret'], 'too_short', `must have at least ${bits / 8} bytes`)
  }
  for (const [index, jwk] of (value.publicKeys ?? []).entries()) {
    const names: readonly string[] = value.algorithms
    const problem =
      findJwkProblem(jwk) ??
      (algorithmsOf(jwk).some((name) => names.includes(name))
        ? undefined
        : 'verifies none of the algorithms')
    if (problem !== undefined) report(['publicKeys', index], 'key', problem)
  }
})
export type NewTrustedIssuer = z.input<typeof newIssuerSchema>
export type CheckedIssuer = z.output<typeof newIssuerSchema>

/** What is missing stays. A new kind of key takes the place of the old one. */
export const issuerChangesSchema = issuerFields.partial().extend({
  userClaim: z.enum(userClaims).optional(),
  maxLifetimeSeconds: maxLifetimeSeconds.optional(),
  trustUnverifiedEmail: z.boolean().optional(),
})
export type TrustedIssuerChanges = z.input<typeof issuerChangesSchema>

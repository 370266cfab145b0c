import { z } from 'zod'
import { codePoints } from '../../base/input/input.ts'
import { issuerAlgorithms } from './issuer-algorithms.ts'
import { algorithmsOf, findJwkProblem } from './public-jwk.ts'
import type { UserLookup } from './trusted-issuer.ts'

const daySeconds = 86_400

/** Claims about the token, not about its user */
const tokenClaims = ['iss', 'aud', 'exp', 'nbf', 'iat', 'jti', 'nonce']

export const issuerFields = {
  issuer: codePoints(z.string(), 1, 255),
  /** One audience, or up to 20: a token must name one of them */
  audience: z.preprocess(
    (given: string | string[]) => (typeof given === 'string' ? [given] : given),
    z
      .array(codePoints(z.string(), 1, 255))
      .min(1)
      .max(20)
      .overwrite((list) => [...new Set(list)]),
  ),
  /** Checks a token without `aud` by its `client_id`, or else by its `azp`. @default false */
  clientIdAsAudience: z.boolean().optional(),
  algorithms: z
    .array(z.enum(issuerAlgorithms))
    .min(1)
    .overwrite((list) => [...new Set(list)]),
  /** The claim that identifies the user. @default sub */
  userClaim: codePoints(z.string(), 1, 100)
    .refine((name) => !tokenClaims.includes(name), 'is a claim that names no user')
    .optional(),
  /** `id` for `sub` and `user_id`, `email` for `email`, `identity` for other claims, unless given */
  userLookup: z.enum(['id', 'email', 'identity']).optional(),
  /** At least as long as the hash of each algorithm: 32 bytes for HS256 (RFC 7518, section 3.2) */
  sharedSecret: z.string().max(1024).optional(),
  /** JWKs (RFC 7517) */
  publicKeys: z
    .array(z.looseObject({ kty: z.string() }))
    .min(1)
    .max(20)
    .optional(),
  /** https; read at once, and again when needed. Without any keys it is discovered from the issuer's URL */
  jwksUrl: z.string().max(2048).optional(),
  /** The maximum lifetime of a token, at most a year. @default 24 hours */
  maxLifetimeSeconds: z
    .int()
    .min(1)
    .max(366 * daySeconds)
    .optional(),
  /** Accepts an e-mail that the token does not mark as verified */
  trustUnverifiedEmail: z.boolean().optional(),
  /** Lets its ID tokens open sessions. @default false */
  signIn: z.boolean().optional(),
  /** Signing in links an identity to the user with the token's verified e-mail. Needs `signIn`. @default false */
  linkByEmail: z.boolean().optional(),
  /** Needs `signIn`. @default required */
  nonce: z.enum(['required', 'optional', 'sha256']).optional(),
  /** The maximum age of the user's sign-in at the issuer, by `auth_time`; null: any age. Needs `signIn` */
  maxAgeSeconds: z
    .int()
    .min(1)
    .max(366 * daySeconds)
    .nullable()
    .optional(),
}
const fieldsSchema = z.strictObject(issuerFields)

/** Members that only signing in uses */
export const signInFields = ['linkByEmail', 'nonce', 'maxAgeSeconds'] as const

export const newIssuerSchema = fieldsSchema
  .check((context) => {
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
    for (const name of value.signIn === true ? [] : signInFields) {
      if (value[name] !== undefined) report([name], 'sign_in', 'needs signIn: true')
    }
    // An unverified address can belong to another person, and addresses change hands.
    if (value.userClaim === 'email' && value.userLookup === 'identity')
      report(['userLookup'], 'value', 'must be email if the claim is email')
    const sources = [value.sharedSecret, value.publicKeys, value.jwksUrl]
    if (sources.filter((source) => source !== undefined).length > 1) {
      report([], 'key_source', 'must have at most one of sharedSecret, publicKeys and jwksUrl')
      return
    }
    const isSymmetric = value.sharedSecret !== undefined
    for (const [index, name] of value.algorithms.entries()) {
      // If a public key were used as a shared secret, any caller could sign (RFC 8725, section 2.1).
      if (name.startsWith('HS') !== isSymmetric)
        report(['algorithms', index], 'value', 'is not allowed with this kind of key')
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
  .transform((given) => {
    const userClaim = given.userClaim ?? 'sub'
    return {
      ...given,
      clientIdAsAudience: given.clientIdAsAudience ?? false,
      userClaim,
      userLookup: given.userLookup ?? lookUpBy(userClaim),
      maxLifetimeSeconds: given.maxLifetimeSeconds ?? daySeconds,
      trustUnverifiedEmail: given.trustUnverifiedEmail ?? false,
      signIn: given.signIn ?? false,
      linkByEmail: given.linkByEmail ?? false,
      nonce: given.nonce ?? ('required' as const),
      maxAgeSeconds: given.maxAgeSeconds ?? null,
    }
  })
export type NewTrustedIssuer = z.input<typeof newIssuerSchema>
export type CheckedIssuer = z.output<typeof newIssuerSchema>

const { sharedSecret, publicKeys, jwksUrl } = issuerFields

/** Missing members stay. A new kind of key replaces the old one; null removes it, and keys are then discovered. */
export const issuerChangesSchema = fieldsSchema.partial().extend({
  sharedSecret: sharedSecret.nullable(),
  publicKeys: publicKeys.nullable(),
  jwksUrl: jwksUrl.nullable(),
})
export type TrustedIssuerChanges = z.input<typeof issuerChangesSchema>

function lookUpBy(userClaim: string): UserLookup {
  if (userClaim === 'sub' || userClaim === 'user_id') return 'id'
  return userClaim === 'email' ? 'email' : 'identity'
}

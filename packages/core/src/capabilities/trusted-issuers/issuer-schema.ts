import { z } from 'zod'
import { codePoints } from '../../base/input/input.ts'
import { issuerAlgorithms } from './issuer-algorithms.ts'
import { algorithmsOf, findJwkProblem } from './public-jwk.ts'
import type { UserLookup } from './trusted-issuer.ts'

const daySeconds = 86_400

/** Claims that say something of the token and nothing of its user */
const tokenClaims = ['iss', 'aud', 'exp', 'nbf', 'iat', 'jti', 'nonce']

export const issuerFields = {
  issuer: codePoints(z.string(), 1, 255),
  /** One, or up to 20 of which a token has to name one */
  audience: z.preprocess(
    (given: string | string[]) => (typeof given === 'string' ? [given] : given),
    z
      .array(codePoints(z.string(), 1, 255))
      .min(1)
      .max(20)
      .overwrite((list) => [...new Set(list)]),
  ),
  /** Checks a token without `aud` by its `client_id`, or by its `azp` where it has no `client_id` either; false unless given */
  clientIdAsAudience: z.boolean().optional(),
  algorithms: z
    .array(z.enum(issuerAlgorithms))
    .min(1)
    .overwrite((list) => [...new Set(list)]),
  /** The name of any claim that speaks of the user; `sub` unless given */
  userClaim: codePoints(z.string(), 1, 100)
    .refine((name) => !tokenClaims.includes(name), 'is a claim that names no user')
    .optional(),
  /** `id` for `sub` and `user_id`, `email` for `email`, and `identity` for any other claim, unless given */
  userLookup: z.enum(['id', 'email', 'identity']).optional(),
  /** As long as the hash of each algorithm at least: 32 bytes for HS256 (RFC 7518, section 3.2) */
  sharedSecret: z.string().max(1024).optional(),
  /** JWKs (RFC 7517) */
  publicKeys: z
    .array(z.looseObject({ kty: z.string() }))
    .min(1)
    .max(20)
    .optional(),
  /** https; read at once, and again when it is needed. Without any keys it is discovered from the issuer's URL */
  jwksUrl: z.string().max(2048).optional(),
  /** Longer-lived tokens are refused: at most a year, 24 hours unless given */
  maxLifetimeSeconds: z
    .int()
    .min(1)
    .max(366 * daySeconds)
    .optional(),
  /** Takes an e-mail for the user's although the token does not call it verified */
  trustUnverifiedEmail: z.boolean().optional(),
  /** Lets its ID tokens open sessions; false unless given */
  signIn: z.boolean().optional(),
  /** Signing in links an identity to the user who has the token's verified e-mail; false unless given. Needs `signIn` */
  linkByEmail: z.boolean().optional(),
  /** `required` unless given. Needs `signIn` */
  nonce: z.enum(['required', 'optional', 'sha256']).optional(),
  /** How long ago, by `auth_time`, somebody may have signed in at the issuer; null: it does not matter. Needs `signIn` */
  maxAgeSeconds: z
    .int()
    .min(1)
    .max(366 * daySeconds)
    .nullable()
    .optional(),
}
const fieldsSchema = z.strictObject(issuerFields)

/** What means nothing to an issuer that nobody signs in with */
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
    // An address may be anybody's until it is verified, and change hands.
    if (value.userClaim === 'email' && value.userLookup === 'identity')
      report(['userLookup'], 'value', 'must be email where the claim is email')
    const sources = [value.sharedSecret, value.publicKeys, value.jwksUrl]
    if (sources.filter((source) => source !== undefined).length > 1) {
      report([], 'key_source', 'must have at most one of sharedSecret, publicKeys and jwksUrl')
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

/** What is missing stays. A new kind of key takes the place of the old one; null takes it back: keys are discovered then. */
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

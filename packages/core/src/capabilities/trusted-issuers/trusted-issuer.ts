import type { IssuerAlgorithm } from './issuer-algorithms.ts'
import type { PublicJwk } from './public-jwk.ts'

/** What the named claim holds: the user's id here, the e-mail address, or an identity that is linked to the user. */
export type UserLookup = 'id' | 'email' | 'identity'

/**
 * What an ID token's `nonce` has to be when somebody signs in with it: there and equal to the request's, equal where
 * either has one, or the SHA-256 of the request's.
 */
export type NonceRule = 'required' | 'optional' | 'sha256'

/** An issuer whose tokens an account accepts beside ours; never its shared secret. */
export interface TrustedIssuer {
  id: string
  /** `iss` of its tokens, compared character by character */
  issuer: string
  /** `aud` of its tokens must be or hold one of these. */
  audience: string[]
  /** Whether a token without `aud` is checked by its `client_id`, or by its `azp` where it has no `client_id` either */
  clientIdAsAudience: boolean
  algorithms: IssuerAlgorithm[]
  /** The name of the claim that names the user */
  userClaim: string
  userLookup: UserLookup
  /** `discovery`: its own documents say where its keys are. */
  keySource: 'shared_secret' | 'public_keys' | 'jwks_url' | 'discovery'
  publicKeys: PublicJwk[] | null
  jwksUrl: string | null
  /** How long after `iat` the `exp` of its tokens may be at most */
  maxLifetimeSeconds: number
  /** Whether an e-mail names a user without `email_verified: true` in the token */
  trustUnverifiedEmail: boolean
  /** Whether its ID tokens open sessions */
  signIn: boolean
  /** Whether signing in links an identity to the user who has the token's verified e-mail */
  linkByEmail: boolean
  nonce: NonceRule
  /** How long ago, by `auth_time`, somebody may have signed in at the issuer; null: it does not matter. */
  maxAgeSeconds: number | null
  createdAt: Date
  updatedAt: Date
}

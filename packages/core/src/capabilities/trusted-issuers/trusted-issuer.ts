import type { IssuerAlgorithm } from './issuer-algorithms.ts'
import type { PublicJwk } from './public-jwk.ts'

/** The content of the user claim: the user's id here, the e-mail address, or an identity that is linked to the user. */
export type UserLookup = 'id' | 'email' | 'identity'

/**
 * How an ID token's `nonce` is checked at a sign-in: present and equal to the request's; equal if the token or the
 * request has one; or equal to the SHA-256 of the request's nonce.
 */
export type NonceRule = 'required' | 'optional' | 'sha256'

/** Another issuer whose tokens an account accepts, without its shared secret. */
export interface TrustedIssuer {
  id: string
  /** `iss` of its tokens, compared character by character */
  issuer: string
  /** `aud` of its tokens must be or contain one of these. */
  audience: string[]
  /** Whether a token without `aud` is checked by its `client_id`, or else by its `azp` */
  clientIdAsAudience: boolean
  algorithms: IssuerAlgorithm[]
  /** The claim that identifies the user */
  userClaim: string
  userLookup: UserLookup
  /** `discovery`: its own documents name the URL of its keys. */
  keySource: 'shared_secret' | 'public_keys' | 'jwks_url' | 'discovery'
  publicKeys: PublicJwk[] | null
  jwksUrl: string | null
  /** The maximum time from `iat` to `exp` of its tokens */
  maxLifetimeSeconds: number
  /** Whether an e-mail identifies a user without `email_verified: true` in the token */
  trustUnverifiedEmail: boolean
  /** Whether its ID tokens open sessions */
  signIn: boolean
  /** Whether signing in links an identity to the user with the token's verified e-mail */
  linkByEmail: boolean
  nonce: NonceRule
  /** The maximum age of the user's sign-in at the issuer, by `auth_time`; null: any age */
  maxAgeSeconds: number | null
  createdAt: Date
  updatedAt: Date
}

/** The algorithms for an issuer's tokens, in the order of the form. */
export const algorithms = [
  'ES256',
  'ES384',
  'ES512',
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'EdDSA',
  'Ed25519',
  'HS256',
  'HS384',
  'HS512',
] as const
export type Algorithm = (typeof algorithms)[number]

export type KeySource = 'discovery' | 'jwks_url' | 'public_keys' | 'shared_secret'
export type UserLookup = 'id' | 'email' | 'identity'
export type NonceRule = 'required' | 'optional' | 'sha256'

/** An issuer whose tokens an account accepts, as the console's server lists it: never its secret. */
export interface Issuer {
  id: string
  issuer: string
  audience: readonly string[]
  client_id_as_audience: boolean
  algorithms: readonly Algorithm[]
  user_claim: string
  user_lookup: UserLookup
  key_source: KeySource
  public_keys: readonly unknown[] | null
  jwks_url: string | null
  max_lifetime_seconds: number
  trust_unverified_email: boolean
  sign_in: boolean
  link_by_email: boolean
  nonce: NonceRule
  max_age_seconds: number | null
  created_at: string
  updated_at: string
}

export interface IssuerList {
  issuers: readonly Issuer[]
}

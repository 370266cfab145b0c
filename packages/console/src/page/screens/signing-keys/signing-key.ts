/** A key that signs an account's tokens, as the console's server lists it: never its private part. */
export interface SigningKey {
  /** `kid` in a token's header */
  id: string
  algorithm: string
  status: 'pending' | 'active' | 'retired'
  created_at: string
  signs_at: string
  /** When it stops signing, possibly in the future; null while it has no successor */
  retired_at: string | null
  public_jwk: Readonly<Record<string, unknown>>
}

export interface SigningKeyList {
  signing_keys: readonly SigningKey[]
}

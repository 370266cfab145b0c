import type { NewEvent } from '../events/new-event.ts'
import type { IssuerAlgorithm } from './issuer-algorithms.ts'
import type { PublicJwk } from './public-jwk.ts'
import type { NonceRule, UserLookup } from './trusted-issuer.ts'

// Times are milliseconds since the epoch.

/** An issuer that an account trusts; its keys are one of three, or are discovered where all are null. */
export interface TrustedIssuerRecord {
  id: string
  issuer: string
  audience: string[]
  /** Whether `client_id` or `azp` stands for an `aud` that a token does not have */
  clientIdAsAudience: boolean
  algorithms: IssuerAlgorithm[]
  userClaim: string
  userLookup: UserLookup
  /** Encrypted by the secret box */
  encryptedSecret: string | null
  publicKeys: PublicJwk[] | null
  jwksUrl: string | null
  /** How long after `iat` its tokens may end at most */
  maxLifetimeSeconds: number
  /** Whether an e-mail names a user that the token does not call verified */
  trustUnverifiedEmail: boolean
  /** Whether its ID tokens open sessions */
  signIn: boolean
  /** Whether signing in links an identity by the token's verified e-mail */
  linkByEmail: boolean
  nonce: NonceRule
  /** How long ago `auth_time` may be; null: it does not matter */
  maxAgeSeconds: number | null
  createdAt: number
  updatedAt: number
}

export interface TrustedIssuerStore {
  create(
    accountId: string,
    issuer: TrustedIssuerRecord,
    event: NewEvent<'issuer.created'>,
  ): Promise<'created' | 'issuer_taken' | 'account_not_found'>
  list(accountId: string): Promise<TrustedIssuerRecord[]>
  /** Replaces all but the id and the time of creation, if it has not changed since that time. */
  update(
    accountId: string,
    issuer: TrustedIssuerRecord,
    unchangedSince: number,
    event: NewEvent<'issuer.updated'>,
  ): Promise<'updated' | 'issuer_taken' | 'issuer_changed'>
  /** Answers with the event; undefined when there is no such issuer. */
  delete(
    accountId: string,
    issuerId: string,
    eventOf: (issuer: string) => NewEvent<'issuer.deleted'>,
  ): Promise<NewEvent<'issuer.deleted'> | undefined>
}

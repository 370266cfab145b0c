import type { NewEvent } from '../events/new-event.ts'
import type { TrustedIssuer } from './trusted-issuer.ts'

// Times are milliseconds since the epoch.

/** An issuer that an account trusts. It has one of three kinds of keys; if all are null, keys are discovered. */
export interface TrustedIssuerRecord
  extends Omit<TrustedIssuer, 'keySource' | 'createdAt' | 'updatedAt'> {
  encryptedSecret: string | null
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
  /** Replaces all members except the id and the time of creation, unless it has changed since that time. */
  update(
    accountId: string,
    issuer: TrustedIssuerRecord,
    unchangedSince: number,
    event: NewEvent<'issuer.updated'>,
  ): Promise<'updated' | 'issuer_taken' | 'issuer_changed'>
  /** Returns the event; undefined when there is no such issuer. */
  delete(
    accountId: string,
    issuerId: string,
    eventOf: (issuer: string) => NewEvent<'issuer.deleted'>,
  ): Promise<NewEvent<'issuer.deleted'> | undefined>
}

import type { NewEvent } from '../events/new-event.ts'
import type { TrustedIssuer } from './trusted-issuer.ts'

// Times are milliseconds since the epoch.

/** An issuer that an account trusts; its keys are one of three, or are discovered where all are null. */
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

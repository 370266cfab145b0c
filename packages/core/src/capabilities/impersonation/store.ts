import type { NewEvent } from '../events/new-event.ts'

// Times are milliseconds since the epoch.

export interface NewImpersonation {
  /** The id of the session */
  id: string
  userId: string
  /** Of the user, as hooks were asked about them */
  version: number
  impersonatedBy: string
  /** The id of the API key that opens it; null: none does */
  openedByKey: string | null
  createdAt: number
  expiresAt: number
}

export interface ImpersonationStore {
  /**
   * Opens a session without a refresh token. Writes nothing and returns `key_revoked` if its API key is revoked, and
   * `refused` if the user is gone, inactive or changed, the account is disabled, or the user has `maximum` impersonations.
   */
  create(
    accountId: string,
    impersonation: NewImpersonation,
    maximum: number,
    event: NewEvent<'user.impersonated'>,
  ): Promise<'created' | 'key_revoked' | 'refused'>
}

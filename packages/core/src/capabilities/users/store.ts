import type { TokenSubject } from '../../base/call/token-subject.ts'
import type { StoredProfile, StoredUser, VersionedUser } from '../../user-model/stored-user.ts'
import type { SubjectState } from '../../user-model/subject-state.ts'
import type { NewEvent } from '../events/new-event.ts'
import type { NewReply } from '../idempotency/store.ts'
import type { PageRequest } from './page.ts'

// Times are milliseconds since the epoch.

export interface NewUserRecord extends StoredUser {
  passwordHash: string | null
}

export interface UserChanges extends StoredProfile {
  /** Absent: it stays. False ends the same as a new password, and keeps no session. */
  isActive?: boolean | undefined
  /** Absent: the password stays. Present: it changes; sessions, challenges and e-mail tokens of the user end. */
  passwordHash?: string | undefined
  /** The session that a new password leaves alive */
  keepSessionId?: string | undefined
  /** The user as it was, where that is known: what is the same need not be written */
  before?: VersionedUser | undefined
  updatedAt: number
}

export type CreateUserOutcome = 'created' | 'email_taken' | 'account_not_found'
export type ChangeUserOutcome =
  | VersionedUser
  | 'user_not_found'
  | 'email_taken'
  | 'precondition_failed'

export interface UserPage {
  users: VersionedUser[]
  total: number
  /** Whether there are users beyond these: behind them, or before them where the cursor leads backwards */
  hasMore: boolean
}

/** What signing in needs to know of a user. */
export interface Credentials extends VersionedUser {
  passwordHash: string | null
  /** Tokens of other issuers that were issued up to this time are revoked. */
  tokensNotBefore: number
}

export interface UserKey {
  accountId: string
  userId: string
}

export interface UserStore {
  /** Here and below: where a `reply` is given, the answer is kept in the same transaction. */
  create(
    accountId: string,
    user: NewUserRecord,
    event: NewEvent<'user.created'>,
    reply?: NewReply,
  ): Promise<CreateUserOutcome>
  find(accountId: string, userId: string): Promise<VersionedUser | undefined>
  findCredentials(accountId: string, email: string): Promise<Credentials | undefined>
  findSubject(
    accountId: string,
    now: number,
    subject: TokenSubject,
  ): Promise<SubjectState | undefined>
  /** The same of many, in their order. */
  findSubjects(
    accountId: string,
    now: number,
    subjects: readonly TokenSubject[],
  ): Promise<(SubjectState | undefined)[]>
  findSubjectByEmail(accountId: string, email: string): Promise<SubjectState | undefined>
  /** The user who has this identity. */
  findSubjectByIdentity(
    accountId: string,
    issuer: string,
    subject: string,
  ): Promise<SubjectState | undefined>
  list(accountId: string, request: PageRequest): Promise<UserPage>
  /** Repairs what totals and pages are read from, by counting the users themselves; answers with the total. */
  recount(accountId: string): Promise<number>
  /** `expectedVersion` null: whatever the version is. */
  replace(
    accountId: string,
    userId: string,
    changes: UserChanges,
    expectedVersion: number | null,
    event: NewEvent<'user.updated' | 'user.activated' | 'user.deactivated'>,
  ): Promise<ChangeUserOutcome>
  /**
   * Deactivating ends every session, challenge and e-mail token of the user. Answers with undefined, and changes nothing,
   * where there is no such user, or it is so already.
   */
  setActive(
    accountId: string,
    userId: string,
    isActive: boolean,
    at: number,
    event: NewEvent<'user.activated' | 'user.deactivated'>,
    reply?: NewReply,
  ): Promise<VersionedUser | undefined>
  delete(
    accountId: string,
    userId: string,
    expectedVersion: number | null,
    event: NewEvent<'user.deleted'>,
  ): Promise<VersionedUser | 'user_not_found' | 'precondition_failed'>
  /** Stores the same password under new parameters; answers false when the hash has changed meanwhile. */
  rehashPassword(
    accountId: string,
    userId: string,
    oldHash: string,
    newHash: string,
  ): Promise<boolean>
  /** Deletes the users with the lowest ids, and answers how many those were. */
  deleteFirst(accountId: string, limit: number): Promise<number>
}

import type { TokenSubject } from '../../base/call/token-subject.ts'
import type { EncodedUser } from '../../user-model/render-user.ts'
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
  /** Absent: unchanged. False has the same consequences as a new password, and keeps no session. */
  isActive?: boolean | undefined
  /** Absent: the password stays. Present: sessions, challenges and e-mail tokens of the user end. */
  passwordHash?: string | undefined
  /** Whether the password is removed, unless there is a new one. It has the same consequences. */
  dropsPassword?: boolean | undefined
  /** The session that survives a new password */
  keepSessionId?: string | undefined
  /** Whether a new password ends the user's own tokens, too */
  endsTokens?: boolean | undefined
  /** Whether open changes of the address go on, and tokens that take a former address back. Otherwise a new address ends them. */
  keepsEmailChanges?: boolean | undefined
  /** The previous state of the user, if it is known: unchanged rows need not be written */
  before?: VersionedUser | undefined
  updatedAt: number
}

export type CreateUserOutcome = 'created' | 'email_taken' | 'account_not_found'
export type ChangeUserOutcome =
  | VersionedUser
  | 'user_not_found'
  | 'email_taken'
  | 'precondition_failed'

export interface UserPage<User = StoredUser> {
  users: { user: User; version: number }[]
  total: number
  /** Whether there are more users: after these, or before them if the cursor leads backwards */
  hasMore: boolean
  /** Of a page that may be read again: the text of its users is kept here with it. */
  rendered?: { text?: string }
}

/** The data about a user that signing in needs. */
export interface Credentials extends VersionedUser {
  passwordHash: string | null
  /** Tokens of other issuers that were issued up to this time are revoked. */
  tokensNotBefore: number
}

export interface UserKey {
  accountId: string
  userId: string
}

/** A user's second factors as a request has read them */
export interface ComparedFactors {
  /** The event of their last change */
  changedBy: string | null
}

export interface DeletedUser {
  deleted: VersionedUser
  event: NewEvent<'user.deleted'>
}

export interface UserStore {
  /** Here and below: with a `reply` the response is stored in the same transaction. */
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
  /** The same for several users, in their order. */
  findSubjects(
    accountId: string,
    now: number,
    subjects: readonly TokenSubject[],
  ): Promise<(SubjectState | undefined)[]>
  /** Whether it is a session that the user opened, and not a person who acts as the user. */
  hasOwnSession(accountId: string, userId: string, sessionId: string): Promise<boolean>
  findSubjectByEmail(accountId: string, email: string): Promise<SubjectState | undefined>
  /** The user with this identity. */
  findSubjectByIdentity(
    accountId: string,
    issuer: string,
    subject: string,
  ): Promise<SubjectState | undefined>
  list(accountId: string, request: PageRequest): Promise<UserPage>
  /**
   * The same for a page that is expected to be large: it is read outside of the event loop, and its JSON stays encoded.
   * Undefined: the database's driver cannot do that.
   */
  listEncoded?(accountId: string, request: PageRequest): Promise<UserPage<EncodedUser>>
  /** Repairs the counts of totals and pages by counting the users themselves; returns the total. */
  recount(accountId: string): Promise<number>
  /** `expectedVersion` null: any version. */
  replace(
    accountId: string,
    userId: string,
    changes: UserChanges,
    expectedVersion: number | null,
    event: NewEvent<'user.updated' | 'user.activated' | 'user.deactivated'>,
  ): Promise<ChangeUserOutcome>
  /**
   * Deactivating ends every session, challenge and e-mail token of the user. Returns undefined when there is no such
   * user or nothing changes.
   *
   * @param expectedVersion for an activation. @default any version
   */
  setActive(
    accountId: string,
    userId: string,
    isActive: boolean,
    at: number,
    event: NewEvent<'user.activated' | 'user.deactivated'>,
    reply?: NewReply,
    expectedVersion?: number | null,
  ): Promise<VersionedUser | undefined>
  delete(
    accountId: string,
    userId: string,
    expectedVersion: number | null,
    /** Called last, so that its time is that from which all of the user's is revoked */
    eventOf: () => NewEvent<'user.deleted'>,
  ): Promise<DeletedUser | 'user_not_found' | 'precondition_failed'>
  /** Stores the same password with new hash parameters; returns false when the hash has changed meanwhile. */
  rehashPassword(
    accountId: string,
    userId: string,
    oldHash: string,
    newHash: string,
  ): Promise<boolean>
  /** Sets to now up to when the user's tokens are revoked, if that is more than an hour ahead: the clock was wrong. */
  correctTokensNotBefore(accountId: string, userId: string, now: number): Promise<void>
  /** Deletes the users with the lowest ids, and returns how many. */
  deleteFirst(accountId: string, limit: number): Promise<number>
}

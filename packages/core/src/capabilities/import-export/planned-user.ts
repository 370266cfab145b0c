import type { Profile } from '../../user-model/client-user.ts'
import { emptyOf, mapProfile, type UserFieldName, userFieldNames } from '../../user-model/fields.ts'
import {
  type StoredProfile,
  type StoredUser,
  storeField,
  toStoredProfile,
} from '../../user-model/stored-user.ts'
import type { ImportedUser, KnownUser } from './store.ts'

/** A user to store, and the consequences. */
export interface PlannedUser extends KnownUser {
  isNew: boolean
  hasChanged: boolean
  /** The changed fields of an existing user */
  changed: ReadonlySet<UserFieldName | 'password' | 'emailVerified'>
  /** Undefined: unchanged */
  newRoles: readonly string[] | undefined
  endsSessions: boolean
  endsTokens: boolean
  /** Whether a record deactivates the user: the user's own tokens end for good, also if a later record activates the user */
  endsOwnTokens: boolean
  /** Addresses that the user lost in these records, including those that an earlier record of the batch had set */
  formerEmails: readonly string[]
  /** Null: the address is not verified; undefined: unchanged */
  verification: number | null | undefined
  /** How many sessions, tokens and the like the changes end */
  endedCredentials: number
  /** How many roles the changes take away or replace */
  endedRoles: number
}

/** Of a stored user whom no record has changed */
export const unchanged: Omit<PlannedUser, keyof KnownUser> = {
  isNew: false,
  hasChanged: false,
  changed: new Set(),
  newRoles: undefined,
  endsSessions: false,
  endsTokens: false,
  endsOwnTokens: false,
  formerEmails: [],
  verification: undefined,
  endedCredentials: 0,
  endedRoles: 0,
}

/** A new user from a record. */
export function planNewUser(record: ImportedUser, at: number): PlannedUser {
  const verifiedAt = toVerifiedAt(record.emailVerified ?? false, at)
  return {
    ...unchanged,
    id: record.id,
    ...toStoredProfile(mapProfile<Profile>((name) => record[name] ?? emptyOf(name))),
    isActive: record.isActive ?? true,
    passwordHash: record.passwordHash ?? null,
    createdAt: record.createdAt ?? at,
    updatedAt: record.updatedAt ?? at,
    verifiedAt,
    isNew: true,
    newRoles: record.roles ?? [],
    verification: verifiedAt ?? undefined,
  }
}

/** The user's resulting profile: members that the record omits stay. */
function profileOf(user: StoredProfile, record: ImportedUser): StoredProfile {
  return mapProfile((name) => {
    const value = record[name]
    return value === undefined ? user[name] : storeField(name, value)
  })
}

/** Applies a record to a user. */
export function change(user: PlannedUser, record: ImportedUser, at: number): void {
  const next = {
    ...profileOf(user, record),
    isActive: record.isActive ?? user.isActive,
    passwordHash: record.passwordHash ?? user.passwordHash,
    createdAt: record.createdAt ?? user.createdAt,
  }
  const hasOtherEmail = next.email !== user.email
  const isShutOut = next.passwordHash !== user.passwordHash || (user.isActive && !next.isActive)
  const others = (Object.keys(next) as (keyof typeof next)[]) // the object's own keys
    .filter((name) => next[name] !== user[name])
  const hasChanged =
    others.length > 0 || (record.updatedAt !== undefined && record.updatedAt !== user.updatedAt)
  user.endsSessions ||= isShutOut
  user.endsOwnTokens ||= user.isActive && !next.isActive
  // Tokens of other issuers that name the address must not follow it to another user.
  user.endsTokens ||= isShutOut || hasOtherEmail
  if (next.roles !== user.roles) user.newRoles = record.roles
  user.hasChanged ||= hasChanged
  const names = others.map((name) => (name === 'passwordHash' ? 'password' : name))
  // With other changes it goes without saying.
  const isTimeAlone = hasChanged && others.length === 0
  user.changed = new Set([
    ...user.changed,
    ...names,
    ...(isTimeAlone ? ['updatedAt' as const] : []),
  ])
  if (hasOtherEmail) {
    user.formerEmails = [...user.formerEmails, user.email]
    user.verifiedAt = null
    user.verification = null
  }
  Object.assign(user, next)
  if (hasChanged) user.updatedAt = record.updatedAt ?? at
  verify(user, record.emailVerified, at)
}

function verify(user: PlannedUser, emailVerified: number | boolean | undefined, at: number): void {
  if (emailVerified === undefined) return
  const verifiedAt = toVerifiedAt(emailVerified, user.verifiedAt ?? at)
  if (verifiedAt === user.verifiedAt) return
  user.verifiedAt = verifiedAt
  user.verification = verifiedAt
  user.changed = new Set([...user.changed, 'emailVerified'])
}

function toVerifiedAt(emailVerified: number | boolean, at: number): number | null {
  if (emailVerified === false) return null
  return emailVerified === true ? at : emailVerified
}

/** Whether the hooks, if there are any, were asked about the record with this user; undefined: as a new one. */
export function isAsAsked(record: ImportedUser, user: KnownUser | undefined): boolean {
  const { asked } = record
  if (asked === undefined) return true
  if (asked === null || user === undefined) return asked === null && user === undefined
  return (
    userFieldNames.every((name) => asked[name] === user[name]) &&
    (record.passwordHash === undefined || asked.passwordHash === user.passwordHash) &&
    (record.emailVerified === undefined || asked.verifiedAt === user.verifiedAt)
  )
}

/** What a record would change of a user as hooks see it: the user after it, and the names of what changes. */
export function planChange(
  before: KnownUser,
  record: ImportedUser,
  at: number,
): { after: StoredUser; changed: string[] } {
  const after: PlannedUser = { ...before, ...unchanged }
  change(after, record, at)
  return { after, changed: [...after.changed] }
}

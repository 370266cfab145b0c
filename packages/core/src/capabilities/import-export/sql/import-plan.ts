import type { Transaction } from '../../../sql/statement.ts'
import type { Profile } from '../../../user-model/client-user.ts'
import { emptyOf, mapProfile, type UserFieldName } from '../../../user-model/fields.ts'
import {
  type StoredProfile,
  type StoredUser,
  storeField,
  toStoredProfile,
} from '../../../user-model/stored-user.ts'
import type { ImportConflict, ImportedUser } from '../store.ts'

/** A stored user. */
export interface KnownUser extends StoredUser {
  passwordHash: string | null
  /** When the user's present address was verified */
  verifiedAt: number | null
}

/** How many rows a transaction ends at most, unless one user has more: on SQLite other requests wait meanwhile. */
const maxEnded = 200

/** A user to store, and the consequences. */
export interface PlannedUser extends KnownUser {
  isNew: boolean
  hasChanged: boolean
  /** The changed fields of an existing user */
  changed: ReadonlySet<UserFieldName | 'password'>
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

/** Counts the sessions, tokens and the like that end with a user's password or address; 0: they block no other request. */
export type CountCredentials = (userId: string) => Transaction<number>

export interface ImportPlan {
  users: PlannedUser[]
  conflicts: ImportConflict[]
  updated: number
  /**
   * How many records the plan covers. It ends before a record that takes an address which an earlier record of the plan
   * frees, or before its changes end too many rows.
   */
  settled: number
  /** How many rows the transaction ends with this plan */
  ended: number
  /** Whether it ended because more changes would end too many rows */
  isFull: boolean
}

/**
 * Plans records, one after the other, when existing users get a record's values. `endedBefore`: how many rows earlier plans
 * of the transaction end.
 */
export function* planImport(
  records: readonly ImportedUser[],
  known: readonly KnownUser[],
  at: number,
  { endedBefore, countCredentials }: { endedBefore: number; countCredentials: CountCredentials },
): Transaction<ImportPlan> {
  const users = new Map<string, PlannedUser>(
    known.map((user) => [user.id, { ...user, ...unchanged }]),
  )
  const holders = new Map([...users.values()].map((user) => [user.email, user]))
  const givenUp = new Set<string>()
  const conflicts: ImportConflict[] = []
  let updated = 0
  let settled = 0
  let ended = endedBefore
  let isFull = false
  for (const record of records) {
    if (givenUp.has(record.email)) break
    const named = record.namesId ? users.get(record.id) : undefined
    const holder = holders.get(record.email)
    if (named !== undefined && holder !== undefined && named !== holder) {
      conflicts.push({ index: settled++, code: 'email_taken' })
      continue
    }
    const user = named ?? holder
    if (user === undefined) {
      const made = planNewUser(record, at)
      users.set(made.id, made)
      holders.set(made.email, made)
      settled++
      continue
    }
    const next = { ...user }
    change(next, record, at)
    const ends = yield* countEnded(user, next, countCredentials)
    isFull = ended > 0 && ends > 0 && ended + ends > maxEnded
    if (isFull) break
    ended += ends
    if (user.email !== next.email) {
      holders.delete(user.email)
      if (!user.isNew) givenUp.add(user.email)
    }
    users.set(next.id, next)
    holders.set(next.email, next)
    updated++
    settled++
  }
  return { users: [...users.values()], conflicts, updated, settled, ended, isFull }
}

/** How many rows a change ends besides those that earlier changes of the user end. */
function* countEnded(
  before: PlannedUser,
  next: PlannedUser,
  countCredentials: CountCredentials,
): Transaction<number> {
  if (next.isNew) return 0
  if (next.endsTokens && !before.endsTokens)
    next.endedCredentials = yield* countCredentials(next.id)
  if (next.newRoles !== undefined && before.newRoles === undefined)
    next.endedRoles = JSON.parse(before.roles).length
  return next.endedCredentials + next.endedRoles - before.endedCredentials - before.endedRoles
}

const unchanged: Omit<PlannedUser, keyof KnownUser> = {
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
function change(user: PlannedUser, record: ImportedUser, at: number): void {
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
  user.changed = new Set([...user.changed, ...names])
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
}

function toVerifiedAt(emailVerified: number | boolean, at: number): number | null {
  if (emailVerified === false) return null
  return emailVerified === true ? at : emailVerified
}

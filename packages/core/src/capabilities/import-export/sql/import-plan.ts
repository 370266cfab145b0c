import type { Transaction } from '../../../sql/statement.ts'
import { change, isAsAsked, type PlannedUser, planNewUser, unchanged } from '../planned-user.ts'
import type { ImportConflict, ImportedUser, KnownUser } from '../store.ts'

/** How many rows a transaction ends at most, unless one user has more: on SQLite other requests wait meanwhile. */
const maxEnded = 200

/** Counts the sessions, tokens and the like that end with a user's password or address; 0: they block no other request. */
export type CountCredentials = (userId: string) => Transaction<number>

export interface ImportPlan {
  users: PlannedUser[]
  conflicts: ImportConflict[]
  updated: number
  /**
   * How many records the plan covers. It ends before a record that takes an address which an earlier record of the plan
   * frees, or before its changes end too many rows, or before a user who is not as the hooks were asked.
   */
  settled: number
  /** How many rows the transaction ends with this plan */
  ended: number
  /** Whether the rest needs a transaction of its own: more changes would end too many rows, or hooks are to be asked again */
  isLast: boolean
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
  let isLast = false
  for (const record of records) {
    if (givenUp.has(record.email)) break
    const named = record.namesId ? users.get(record.id) : undefined
    const holder = holders.get(record.email)
    if (named !== undefined && holder !== undefined && named !== holder) {
      conflicts.push({ index: settled++, code: 'email_taken' })
      continue
    }
    const user = named ?? holder
    isLast = !isAsAsked(record, user)
    if (isLast) break
    if (user === undefined) {
      const made = planNewUser(record, at)
      users.set(made.id, made)
      holders.set(made.email, made)
      settled++
      continue
    }
    // What a deactivation ends stays ended, and its event says so: the activation is a change of its own.
    if (user.endsOwnTokens && !user.isActive && record.isActive === true) break
    const next = { ...user }
    change(next, record, at)
    const ends = yield* countEnded(user, next, countCredentials)
    isLast = ended > 0 && ends > 0 && ended + ends > maxEnded
    if (isLast) break
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
  return { users: [...users.values()], conflicts, updated, settled, ended, isLast }
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

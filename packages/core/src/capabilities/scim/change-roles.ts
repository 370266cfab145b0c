import { setImmediate as endOfTurn } from 'node:timers/promises'
import type { Call } from '../../base/call/call.ts'
import { ClienteleError } from '../../base/errors.ts'
import { parseInput } from '../../base/input/input.ts'
import type { VersionedUser } from '../../user-model/stored-user.ts'
import {
  askAboutChange,
  changeUser,
  type FurtherChange,
  type NextUser,
} from '../users/change-user.ts'
import type { TurnCall } from './group-turn.ts'
import { profileOf } from './profile-of.ts'
import { toScimUser, toStoredNames } from './scim-user.ts'
import type { ScimServices } from './services.ts'
import { takeOver } from './take-over-user.ts'

/** A change of the roles of one user. */
export interface RoleChange {
  userId: string
  change: (roles: readonly string[]) => string[]
  /** Whether the identity provider takes the user over, if it is its first change */
  takesOver?: boolean | undefined
}

/** The versions of the users, by id, for which the hook has been asked already */
export type AskedVersions = ReadonlyMap<string, number>

export function withRole(userId: string, role: string): RoleChange {
  return { userId, change: (roles) => [...new Set([...roles, role])], takesOver: true }
}

export function withoutRole(userId: string, role: string): RoleChange {
  return insteadOf(userId, role, undefined)
}

export function insteadOf(userId: string, role: string, next: string | undefined): RoleChange {
  const replace = (each: string) => (each === role ? next : each)
  return {
    userId,
    change: (roles) => [...new Set(roles.map(replace))].filter((each) => each !== undefined),
  }
}

export async function changeRoles(
  services: ScimServices,
  call: TurnCall,
  given: RoleChange,
  asked: AskedVersions,
): Promise<void> {
  const askedVersion = asked.get(given.userId)
  const next = toNext(services, call, given)
  await unlessDeleted(() =>
    changeUser(services, call, given.userId, null, async (before) => {
      const planned = await next(before)
      const { replace } = services.repository.users
      const further = whileHeld(call, planned.further ?? { changed: [], replace })
      return { ...planned, askedVersion, further }
    }),
  )
}

/** Directly before the write: a process may have been paused since its request began, and another one have the turn. */
function whileHeld(call: TurnCall, { changed, replace }: FurtherChange): FurtherChange {
  return {
    changed,
    replace: async (...input) => {
      await call.stayAdmitted()
      return replace(...input)
    },
  }
}

/**
 * Checks all these changes and asks the hook about them, so that a refusal comes before anything is written. A change of a user
 * who changes meanwhile is asked about once more.
 *
 * @throws ClienteleError `validation_failed`, `refused_by_hook`, `hook_unavailable`
 */
export async function askAboutRoles(
  services: ScimServices,
  call: Call,
  changes: readonly RoleChange[],
): Promise<AskedVersions> {
  const asked = new Map<string, number>()
  for (const given of changes)
    await unlessDeleted(async () => {
      const { userId } = given
      asked.set(userId, await askAboutChange(services, call, userId, toNext(services, call, given)))
    })
  return asked
}

async function unlessDeleted(run: () => Promise<unknown>): Promise<void> {
  // Other requests are answered in between: where the database is in process, no write ends the turn.
  await endOfTurn()
  try {
    await run()
  } catch (error) {
    if (!(error instanceof ClienteleError) || error.code !== 'user_not_found') throw error
  }
}

function toNext(services: ScimServices, call: Call, { userId, change, takesOver }: RoleChange) {
  return async (before: VersionedUser): Promise<NextUser> => {
    const known = profileOf(before)
    const schema = services.userSchemas.patched({ roles: known.roles })
    const roles = change(known.roles)
    // Roles that the user keeps may be older than the host's schema.
    const hasNew = roles.some((role) => !known.roles.includes(role))
    const profile = hasNew ? parseInput(schema, { ...known, roles }) : { ...known, roles }
    const next = { profile, isActive: undefined, passwordHash: undefined }
    if (!takesOver) return next
    const { scim } = services.repository
    const standing = await scim.findStanding(call.accountId, userId)
    if (standing === 'managed') return next
    const names = toStoredNames(toScimUser(before, undefined).names, before.user.name)
    const { userNameKey: key } = names
    const holders = await scim.findInRange(
      call.accountId,
      { by: 'userName', from: key, to: key },
      2,
    )
    if (holders.some(({ user }) => user.id !== userId))
      throw new ClienteleError('scim_user_name_taken')
    if (standing === 'unproven') return { ...next, ...takeOver(services, call, names) }
    const replace = (...input: Parameters<typeof services.repository.users.replace>) =>
      scim.replaceUser(...input, names)
    // Of a user who has the role already, the names are all that changes.
    const isAlone = roles.length === known.roles.length
    return { ...next, further: { changed: isAlone ? ['userName'] : [], replace } }
  }
}

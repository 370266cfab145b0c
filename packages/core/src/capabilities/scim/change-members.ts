import { setImmediate as endOfTurn } from 'node:timers/promises'
import type { Call } from '../../base/call/call.ts'
import { ClienteleError } from '../../base/errors.ts'
import { parseInput } from '../../base/input/input.ts'
import { findAccountRules } from '../accounts/find-account.ts'
import { changeUser } from '../users/change-user.ts'
import { checkAccountRules } from '../users/user-input.ts'
import { profileOf } from './profile-of.ts'
import { maxChangedMembers, type ScimGroup } from './scim-group.ts'
import { toScimUser, toStoredNames } from './scim-user.ts'
import type { ScimServices } from './services.ts'
import type { ScimStore } from './store.ts'
import { takeOver } from './take-over-user.ts'

/** How many members are listed at once */
const listedAtOnce = 200
/** How many users are looked for at once */
const foundAtOnce = 1_000

/** A change of a group's members: some, or all of them. */
export type MemberChanges =
  | { add: ReadonlySet<string>; remove: ReadonlySet<string> }
  | { all: ReadonlySet<string> }

type Candidates = Awaited<ReturnType<ScimStore['findCandidates']>>
type ChangeRoles = (roles: readonly string[]) => string[]

/**
 * Refuses changes of members that cannot be made, before any is made.
 *
 * @throws ClienteleError `scim_value_invalid`, `validation_failed`
 */
export async function checkMemberChanges(
  services: ScimServices,
  call: Call,
  role: string,
  changes: MemberChanges,
): Promise<void> {
  const added = 'all' in changes ? changes.all : changes.add
  if ('remove' in changes && changes.remove.size > maxChangedMembers) throw tooMany()
  if (added.size === 0) return
  await assertAllowedRole(services, call, role)
  const found = await findCandidates(services, call, role, added)
  if (found.length < added.size) {
    const message = 'members: one of the values is the id of no user.'
    throw new ClienteleError('scim_value_invalid', message)
  }
  if (found.filter(({ isMember }) => !isMember).length > maxChangedMembers) throw tooMany()
}

function tooMany(): ClienteleError {
  const message = `One request may add or remove ${maxChangedMembers} members at most.`
  return new ClienteleError('scim_value_invalid', message)
}

/** @throws ClienteleError `validation_failed` */
export async function assertAllowedRole(
  services: ScimServices,
  call: Call,
  role: string,
): Promise<void> {
  const rules = await findAccountRules(services, call)
  await checkAccountRules(rules, services.passwordPolicy, { roles: [role] })
}

/**
 * Adds and removes members, one user after the other: each is a change of a user, with its own event.
 *
 * @throws ClienteleError `scim_group_unfinished`, `validation_failed`, `overloaded`
 */
export async function changeMembers(
  services: ScimServices,
  call: Call,
  group: Pick<ScimGroup, 'id' | 'role'>,
  changes: MemberChanges,
): Promise<void> {
  const { role } = group
  const added = 'all' in changes ? changes.all : changes.add
  const candidates = await findCandidates(services, call, role, added)
  const others = candidates.filter(({ isMember }) => !isMember).map(({ id }) => id)
  try {
    for (const id of others) await changeRoles(services, call, id, withRole(role), true)
  } finally {
    if (others.length > 0) await followGroup(services, call, group, new Set(others))
  }
  if ('all' in changes) return leaveOnly(services, call, role, changes.all)
  const members = await findCandidates(services, call, role, changes.remove)
  for (const { id, isMember } of members)
    if (isMember) await changeRoles(services, call, id, withoutRole(role))
}

/**
 * Gives users who just got a group's role the role that the group has now. Another process may have renamed or deleted the group
 * meanwhile, and have looked for its members before they were added: they would keep a role that no group takes from them.
 */
export async function followGroup(
  services: ScimServices,
  call: Call,
  { id, role }: Pick<ScimGroup, 'id' | 'role'>,
  added: ReadonlySet<string>,
): Promise<void> {
  const group = await services.repository.scim.findGroup(call.accountId, id)
  if (group?.role === role) return
  const candidates = await findCandidates(services, call, role, added)
  for (const { id: userId, isMember } of candidates)
    if (isMember) await changeRoles(services, call, userId, insteadOf(role, group?.role))
  // It may have been renamed once more.
  if (group !== undefined) await followGroup(services, call, group, added)
}

/** Which of these ids are of users, and whether they have the role: in parts, because other requests are answered in between. */
async function findCandidates(
  { repository }: ScimServices,
  { accountId }: Call,
  role: string,
  ids: ReadonlySet<string>,
): Promise<Candidates> {
  const left = [...ids]
  const found: Candidates = []
  while (left.length > 0) {
    const part = left.splice(0, foundAtOnce)
    found.push(...(await repository.scim.findCandidates(accountId, role, part)))
    await endOfTurn()
  }
  return found
}

/** Removes all members but some. */
async function leaveOnly(
  services: ScimServices,
  { accountId, ...call }: Call,
  role: string,
  left: ReadonlySet<string>,
): Promise<void> {
  const most = left.size + maxChangedMembers + 1
  const members = await services.repository.scim.listMembers(accountId, role, most)
  const surplus = members.filter(({ id }) => !left.has(id))
  for (const { id } of surplus.slice(0, maxChangedMembers))
    await changeRoles(services, { accountId, ...call }, id, withoutRole(role))
  if (surplus.length > maxChangedMembers) throw unfinished()
}

/**
 * Replaces a role of all its users by another one, or takes it from them. Adds their ids to `changed`.
 *
 * @throws ClienteleError `scim_group_unfinished` after 2,000 users: a repeat goes on with the rest
 */
export async function replaceRole(
  services: ScimServices,
  call: Call,
  role: string,
  next: string | undefined,
  changed = new Set<string>(),
): Promise<void> {
  const { repository } = services
  const change = insteadOf(role, next)
  for (let count = 0; count < maxChangedMembers; count += listedAtOnce) {
    const members = await repository.scim.listMembers(call.accountId, role, listedAtOnce)
    for (const { id } of members) {
      await changeRoles(services, call, id, change)
      changed.add(id)
    }
    if (members.length < listedAtOnce) return
  }
  const left = await repository.scim.listMembers(call.accountId, role, 1)
  if (left.length > 0) throw unfinished()
}

function unfinished(): ClienteleError {
  return new ClienteleError('scim_group_unfinished', undefined, { retryAfterSeconds: 1 })
}

function withRole(role: string): ChangeRoles {
  return (roles) => [...new Set([...roles, role])]
}

function withoutRole(role: string): ChangeRoles {
  return (roles) => roles.filter((each) => each !== role)
}

function insteadOf(role: string, next: string | undefined): ChangeRoles {
  return (roles) =>
    [...new Set(roles.map((each) => (each === role ? next : each)))].filter(
      (each) => each !== undefined,
    )
}

async function changeRoles(
  services: ScimServices,
  call: Call,
  userId: string,
  change: ChangeRoles,
  takesOver = false,
): Promise<void> {
  // Other requests are answered in between: where the database is in process, no write ends the turn.
  await endOfTurn()
  try {
    await changeUser(services, call, userId, null, async (before) => {
      const known = profileOf(before)
      const schema = services.userSchemas.patched({ roles: known.roles })
      const profile = parseInput(schema, { ...known, roles: change(known.roles) })
      const next = { profile, isActive: undefined, passwordHash: undefined }
      if (!takesOver) return next
      const { scim } = services.repository
      const standing = await scim.findStanding(call.accountId, userId)
      if (standing === 'managed') return next
      const names = toStoredNames(toScimUser(before, undefined).names, before.user.name)
      if (standing === 'unproven') return { ...next, ...takeOver(services, call, names) }
      const replace = (...input: Parameters<typeof services.repository.users.replace>) =>
        scim.replaceUser(...input, names)
      return { ...next, further: { changed: [], replace } }
    })
  } catch (error) {
    // The user was deleted just now.
    if (!(error instanceof ClienteleError) || error.code !== 'user_not_found') throw error
  }
}

import { setImmediate as endOfTurn } from 'node:timers/promises'
import type { Call } from '../../base/call/call.ts'
import { ClienteleError } from '../../base/errors.ts'
import { parseArgument } from '../../base/input/input.ts'
import { findAccountRules } from '../accounts/find-account.ts'
import { checkAccountRules } from '../users/user-input.ts'
import {
  type AskedVersions,
  askAboutRoles,
  changeRoles,
  insteadOf,
  type RoleChange,
  withoutRole,
  withRole,
} from './change-roles.ts'
import type { TurnCall } from './group-turn.ts'
import { unfinished } from './replace-role.ts'
import { maxChangedMembers } from './scim-group.ts'
import type { ScimServices } from './services.ts'
import type { ScimStore } from './store.ts'

/** How many users are looked for at once */
const foundAtOnce = 1_000

/** A change of a group's members: some, or all of them. */
export type MemberChanges =
  | { add: ReadonlySet<string>; remove: ReadonlySet<string> }
  | { all: ReadonlySet<string> }

type Candidates = Awaited<ReturnType<ScimStore['findCandidates']>>

/**
 * Refuses changes of members that cannot be made, before any is made.
 *
 * @throws ClienteleError `scim_value_invalid`
 */
export async function checkMemberChanges(
  services: ScimServices,
  call: Call,
  role: string,
  changes: MemberChanges,
): Promise<void> {
  const added = namedBy(changes)
  if ('remove' in changes && changes.remove.size > maxChangedMembers) throw tooMany()
  if (added.size === 0) return
  const found = await findCandidates(services, call, role, added)
  if (found.length < added.size) {
    const message = 'members: one of the values is the id of no user.'
    throw new ClienteleError('scim_value_invalid', message)
  }
  if (found.filter(({ isMember }) => !isMember).length > maxChangedMembers) throw tooMany()
}

/** The ids of those who are members afterwards */
function namedBy(changes: MemberChanges): ReadonlySet<string> {
  return 'all' in changes ? changes.all : changes.add
}

function tooMany(): ClienteleError {
  const message = `One request may add or remove ${maxChangedMembers} members at most.`
  return new ClienteleError('scim_value_invalid', message)
}

/**
 * Asserts that users may have a role, by the host's schema and in the account.
 *
 * @throws ClienteleError `validation_failed`
 */
export async function assertAllowedRole(
  services: ScimServices,
  call: Call,
  role: string,
): Promise<void> {
  parseArgument('roles', services.userSchemas.fields.roles, [role])
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
  call: TurnCall,
  role: string,
  changes: MemberChanges,
  asked: AskedVersions,
): Promise<void> {
  const joining = await findAdded(services, call, role, changes)
  for (const each of joining.changes) await changeRoles(services, call, each, asked)
  const leaving = await findRemoved(services, call, role, changes)
  for (const each of leaving.changes) await changeRoles(services, call, each, asked)
  if (joining.hasMore || leaving.hasMore) throw unfinished()
}

/**
 * Checks what a request makes of the members of a group and asks the hook about it, before anything is written.
 *
 * @param role the role after the request
 * @param changes of the members; undefined: they stay
 * @param former the role before, if the members get another one
 * @throws ClienteleError `validation_failed`, `refused_by_hook`, `hook_unavailable`
 */
export async function checkMembers(
  services: ScimServices,
  call: Call,
  role: string | undefined,
  changes: MemberChanges | undefined,
  former?: string,
): Promise<AskedVersions> {
  const { scim } = services.repository
  const renamed =
    former === undefined ? [] : await scim.listMembers(call.accountId, former, maxChangedMembers)
  const given = new Map<string, RoleChange>()
  if (role !== undefined && changes !== undefined)
    for (const find of [findAdded, findRemoved])
      for (const each of (await find(services, call, role, changes)).changes)
        given.set(each.userId, each)
  // Who gets the other role first, and is taken over then if the request names it
  const named = changes && namedBy(changes)
  for (const { id } of renamed)
    if (former !== undefined)
      given.set(id, { ...insteadOf(id, former, role), takesOver: named?.has(id) })
  return askAboutRoles(services, call, [...given.values()])
}

/** Changes that one request makes, and whether more are left */
interface Part {
  changes: RoleChange[]
  hasMore: boolean
}

function toPart(changes: readonly RoleChange[]): Part {
  return {
    changes: changes.slice(0, maxChangedMembers),
    hasMore: changes.length > maxChangedMembers,
  }
}

/**
 * Users who become members, and members whom the identity provider names for the first time: they had the role before there
 * was a group, and are taken over like the others.
 */
async function findAdded(
  services: ScimServices,
  call: Call,
  role: string,
  changes: MemberChanges,
): Promise<Part> {
  const candidates = await findCandidates(services, call, role, namedBy(changes))
  const others = candidates.filter(({ isMember }) => !isMember)
  const unknown = candidates.filter(({ isMember, isManaged }) => isMember && !isManaged)
  return toPart([...others, ...unknown].map(({ id }) => withRole(id, role)))
}

async function findRemoved(
  services: ScimServices,
  call: Call,
  role: string,
  changes: MemberChanges,
): Promise<Part> {
  if ('remove' in changes) {
    const members = await findCandidates(services, call, role, changes.remove)
    return toPart(members.filter(({ isMember }) => isMember).map(({ id }) => withoutRole(id, role)))
  }
  const { all } = changes
  const most = all.size + maxChangedMembers + 1
  const members = await services.repository.scim.listMembers(call.accountId, role, most)
  return toPart(members.filter(({ id }) => !all.has(id)).map(({ id }) => withoutRole(id, role)))
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

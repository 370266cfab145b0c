import type { Call } from '../../base/call/call.ts'
import { ClienteleError } from '../../base/errors.ts'
import { newEvent } from '../events/new-event.ts'
import {
  askAboutMembers,
  assertAllowedRole,
  changeMembers,
  checkMemberChanges,
  type MemberChanges,
} from './change-members.ts'
import { finishRename, finishRenameFrom } from './finish-rename.ts'
import { giveBackRole } from './give-back-role.ts'
import { replaceRole } from './replace-role.ts'
import { maxGroups, maxTries, type ScimGroup, type StoredScimGroup } from './scim-group.ts'
import { toNameKey } from './scim-user.ts'
import type { ScimServices } from './services.ts'

/** A group after a request. */
export interface ScimGroupInput {
  role: string
  externalId: string | null
  /** Undefined: the members stay */
  members: MemberChanges | undefined
}

/** @throws ClienteleError `scim_group_not_found` */
export async function findScimGroup(
  { repository }: ScimServices,
  { accountId }: Call,
  groupId: string,
): Promise<StoredScimGroup> {
  const group = await repository.scim.findGroup(accountId, groupId)
  if (group === undefined) throw new ClienteleError('scim_group_not_found')
  return group
}

/**
 * Creates a group. Users who have its role already are members.
 *
 * @throws ClienteleError `validation_failed`, `scim_value_invalid`, `scim_group_taken`, `scim_group_limit_reached`,
 *   `account_not_found`
 */
export async function createScimGroup(
  services: ScimServices,
  call: Call,
  { role, externalId, members }: ScimGroupInput,
): Promise<ScimGroup> {
  const { repository, events, newId, clock } = services
  await assertAllowedRole(services, call, role)
  if (members !== undefined) await checkMemberChanges(services, call, role, members)
  const asked = await askAboutMembers(services, call, role, members)
  const now = clock()
  const group: StoredScimGroup = {
    id: newId(),
    role,
    roleKey: toNameKey(role),
    externalId,
    version: 1,
    createdAt: now,
    updatedAt: now,
    formerRole: null,
  }
  await finishRenameFrom(services, call, role)
  const event = newEvent(services, call, 'group.created', call.accountId, {
    groupId: group.id,
    role,
  })
  const outcome = await repository.scim.createGroup(call.accountId, group, maxGroups, event)
  if (outcome !== 'created') throw new ClienteleError(outcome)
  events.emit(event)
  if (members !== undefined) await changeMembers(services, call, group, members, asked)
  return group
}

/**
 * Changes a group. Another name is another role: the members get it in place of the old one.
 *
 * @throws ClienteleError `scim_group_not_found`, `validation_failed`, `scim_value_invalid`, `scim_group_taken`,
 *   `scim_group_unfinished`, `precondition_failed`
 */
export function changeScimGroup(
  services: ScimServices,
  call: Call,
  groupId: string,
  expectedVersion: number | null,
  next: (before: StoredScimGroup) => ScimGroupInput,
): Promise<ScimGroup> {
  return inTurn(services, call, groupId, () =>
    persist(expectedVersion, () => change(services, call, groupId, expectedVersion, next)),
  )
}

/** A change that expects no version is made of what another process has left. */
async function persist<T>(expectedVersion: number | null, attempt: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await attempt()
    } catch (error) {
      const isRaced = error instanceof ClienteleError && error.code === 'precondition_failed'
      if (!isRaced || expectedVersion !== null || tries === maxTries) throw error
    }
  }
}

/** Two requests that change a group at once would both do what an unfinished rename has left. */
function inTurn<T>(
  { mutex }: ScimServices,
  { accountId }: Call,
  groupId: string,
  run: () => Promise<T>,
): Promise<T> {
  return mutex.take(`${accountId} group ${groupId}`, run)
}

async function change(
  services: ScimServices,
  call: Call,
  groupId: string,
  expectedVersion: number | null,
  next: (before: StoredScimGroup) => ScimGroupInput,
): Promise<ScimGroup> {
  const before = await findFinished(services, call, groupId, expectedVersion)
  const { role, externalId, members } = next(before)
  const isRenamed = role !== before.role
  if (isRenamed) await assertAllowedRole(services, call, role)
  if (isRenamed) await assertFree(services, call, groupId, role)
  if (members !== undefined) await checkMemberChanges(services, call, role, members)
  const former = isRenamed ? before.role : undefined
  const asked = await askAboutMembers(services, call, role, members, former)
  const isChanged = isRenamed || externalId !== before.externalId
  const group = isChanged
    ? await storeNames(services, call, before, { role, externalId, formerRole: former ?? null })
    : before
  const refusal = await finishRename(services, call, group, asked)
  if (refusal !== undefined) throw refusal
  const finished = { ...group, formerRole: null }
  if (members !== undefined) await changeMembers(services, call, finished, members, asked)
  return finished
}

/** Finds a group whose members have its role, all of them: what an earlier rename has left is done. */
async function findFinished(
  services: ScimServices,
  call: Call,
  groupId: string,
  expectedVersion: number | null,
): Promise<StoredScimGroup> {
  const group = await findScimGroup(services, call, groupId)
  if (expectedVersion !== null && group.version !== expectedVersion) throw changedSince()
  await finishRename(services, call, group)
  return { ...group, formerRole: null }
}

async function assertFree(
  services: ScimServices,
  call: Call,
  groupId: string,
  role: string,
): Promise<void> {
  const { scim } = services.repository
  const [other] = await scim.findGroupsOf(call.accountId, [toNameKey(role)])
  if (other !== undefined && other.id !== groupId) throw new ClienteleError('scim_group_taken')
  await finishRenameFrom(services, call, role)
}

async function storeNames(
  services: ScimServices,
  call: Call,
  { id, version }: StoredScimGroup,
  names: Pick<ScimGroup, 'role' | 'externalId' | 'formerRole'>,
): Promise<StoredScimGroup> {
  const { repository, events, clock } = services
  const { accountId } = call
  const { role } = names
  const event = newEvent(services, call, 'group.updated', accountId, { groupId: id, role })
  const changes = { ...names, roleKey: toNameKey(role), updatedAt: clock() }
  const outcome = await repository.scim.updateGroup(accountId, id, changes, version, event)
  if (outcome === 'precondition_failed') throw changedSince()
  if (typeof outcome === 'string') throw new ClienteleError(outcome)
  events.emit(event)
  return outcome
}

/**
 * Deletes a group and takes its role from its members.
 *
 * @throws ClienteleError `scim_group_not_found`, `scim_group_unfinished`, `precondition_failed`
 */
export function deleteScimGroup(
  services: ScimServices,
  call: Call,
  groupId: string,
  expectedVersion: number | null,
): Promise<void> {
  return inTurn(services, call, groupId, () =>
    persist(expectedVersion, () => remove(services, call, groupId, expectedVersion)),
  )
}

async function remove(
  services: ScimServices,
  call: Call,
  groupId: string,
  expectedVersion: number | null,
): Promise<void> {
  const { repository, events } = services
  const { scim } = repository
  const { accountId } = call
  const { role, version } = await findFinished(services, call, groupId, expectedVersion)
  const asked = await askAboutMembers(services, call, undefined, undefined, role)
  const isUnchanged = async () => (await scim.findGroup(accountId, groupId))?.version === version
  const changed = new Set<string>()
  await replaceRole(services, call, { role, next: undefined, isDue: isUnchanged, asked, changed })
  const event = newEvent(services, call, 'group.deleted', accountId, { groupId, role })
  const isDeleted = await scim.deleteGroup(accountId, groupId, version, event)
  if (!isDeleted) {
    // Another process has changed it, and its members keep it.
    await giveBackRole(services, call, groupId, changed)
    throw changedSince()
  }
  events.emit(event)
  // Members who came meanwhile, unless another group has the role by now
  const isFree = async () => (await scim.findGroupsOf(accountId, [toNameKey(role)])).length === 0
  await replaceRole(services, call, { role, next: undefined, isDue: isFree })
}

function changedSince(): ClienteleError {
  const message = 'The group has changed since: If-Match does not match its version.'
  return new ClienteleError('precondition_failed', message)
}

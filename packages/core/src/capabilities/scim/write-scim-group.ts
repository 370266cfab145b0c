import type { Call } from '../../base/call/call.ts'
import { ClienteleError } from '../../base/errors.ts'
import { newEvent } from '../events/new-event.ts'
import {
  assertAllowedRole,
  changeMembers,
  checkMemberChanges,
  checkMembers,
  type MemberChanges,
} from './change-members.ts'
import { finishRename, finishRenameFrom } from './finish-rename.ts'
import { inGroupTurn, type TurnCall } from './group-turn.ts'
import { replaceRole, unfinished } from './replace-role.ts'
import { maxGroups, type ScimGroup, type StoredScimGroup } from './scim-group.ts'
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
 *   `scim_group_unfinished`, `account_not_found`
 */
export function createScimGroup(
  services: ScimServices,
  call: Call,
  input: ScimGroupInput,
): Promise<ScimGroup> {
  return inGroupTurn(services, call, (held) => create(services, held, input))
}

async function create(
  services: ScimServices,
  call: TurnCall,
  { role, externalId, members }: ScimGroupInput,
): Promise<ScimGroup> {
  const { repository, events, newId, clock } = services
  await assertAllowedRole(services, call, role)
  await assertFree(services, call, undefined, role)
  if (members !== undefined) await checkMemberChanges(services, call, role, members)
  const asked = await checkMembers(services, call, role, members)
  if ((await repository.scim.countGroups(call.accountId)) >= maxGroups)
    throw new ClienteleError('scim_group_limit_reached')
  // Before the group is there: the repeat of a request that has stopped in between goes on with the rest.
  if (members !== undefined) await changeMembers(services, call, role, members, asked)
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
    formerAfter: null,
  }
  const event = newEvent(services, call, 'group.created', call.accountId, {
    groupId: group.id,
    role,
  })
  await call.stayAdmitted()
  const outcome = await repository.scim.createGroup(call.accountId, group, maxGroups, event)
  if (outcome !== 'created') throw new ClienteleError(outcome)
  events.emit(event)
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
  return inGroupTurn(services, call, async (held) => {
    const before = await findFinished(services, held, groupId, expectedVersion)
    return change(services, held, before, next(before))
  })
}

async function change(
  services: ScimServices,
  call: TurnCall,
  before: StoredScimGroup,
  { role, externalId, members }: ScimGroupInput,
): Promise<ScimGroup> {
  const isRenamed = role !== before.role
  if (isRenamed) await assertAllowedRole(services, call, role)
  if (isRenamed) await assertFree(services, call, before.id, role)
  if (members !== undefined) await checkMemberChanges(services, call, role, members)
  const former = isRenamed ? before.role : undefined
  const asked = await checkMembers(services, call, role, members, former)
  const isChanged = isRenamed || externalId !== before.externalId
  const names = { role, externalId, formerRole: former ?? null }
  const group = isChanged ? await storeNames(services, call, before, names) : before
  const refusal = await finishRename(services, call, group, asked)
  if (refusal !== undefined) throw refusal
  if (members !== undefined) await changeMembers(services, call, role, members, asked)
  return { ...group, formerRole: null }
}

/** Finds a group whose members have its role, all of them: what an earlier rename has left is done. */
async function findFinished(
  services: ScimServices,
  call: TurnCall,
  groupId: string,
  expectedVersion: number | null,
): Promise<StoredScimGroup> {
  const group = await findScimGroup(services, call, groupId)
  if (expectedVersion !== null && group.version !== expectedVersion) throw changedSince()
  await finishRename(services, call, group)
  return { ...group, formerRole: null }
}

/** @param groupId the group that is to have the role; undefined: a new one */
async function assertFree(
  services: ScimServices,
  call: TurnCall,
  groupId: string | undefined,
  role: string,
): Promise<void> {
  const { scim } = services.repository
  const [other] = await scim.findGroupsOf(call.accountId, [toNameKey(role)])
  if (other !== undefined && other.id !== groupId) throw new ClienteleError('scim_group_taken')
  await finishRenameFrom(services, call, role)
}

async function storeNames(
  services: ScimServices,
  call: TurnCall,
  { id, version }: StoredScimGroup,
  names: Pick<ScimGroup, 'role' | 'externalId' | 'formerRole'>,
): Promise<StoredScimGroup> {
  const { repository, events, clock } = services
  const { accountId } = call
  const { role } = names
  const event = newEvent(services, call, 'group.updated', accountId, { groupId: id, role })
  const changes = { ...names, roleKey: toNameKey(role), updatedAt: clock() }
  await call.stayAdmitted()
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
  return inGroupTurn(services, call, async (held) => {
    const group = await findFinished(services, held, groupId, expectedVersion)
    return remove(services, held, group)
  })
}

async function remove(
  services: ScimServices,
  call: TurnCall,
  { id, role, version }: StoredScimGroup,
): Promise<void> {
  const { repository, events } = services
  const { accountId } = call
  const asked = await checkMembers(services, call, undefined, undefined, role)
  const last = await replaceRole(services, call, { role, next: undefined, asked })
  if (last !== undefined) throw unfinished()
  const event = newEvent(services, call, 'group.deleted', accountId, { groupId: id, role })
  await call.stayAdmitted()
  const isDeleted = await repository.scim.deleteGroup(accountId, id, version, event)
  if (!isDeleted) throw changedSince()
  events.emit(event)
}

function changedSince(): ClienteleError {
  const message = 'The group has changed since: If-Match does not match its version.'
  return new ClienteleError('precondition_failed', message)
}

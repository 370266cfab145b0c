import type { Call } from '../../base/call/call.ts'
import { ClienteleError } from '../../base/errors.ts'
import { newEvent } from '../events/new-event.ts'
import {
  askAboutMembers,
  assertAllowedRole,
  changeMembers,
  checkMemberChanges,
  followGroup,
  type MemberChanges,
  replaceRole,
} from './change-members.ts'
import type { AskedVersions } from './change-roles.ts'
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
  }
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

/** How often a change of a group starts over because another process changed the group meanwhile. */
const maxTries = 10

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

/** Of two requests that rename a group at once, each would give its members another role. */
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
  const before = await findScimGroup(services, call, groupId)
  if (expectedVersion !== null && before.version !== expectedVersion) throw changedSince()
  const { role, externalId, members } = next(before)
  const isRenamed = role !== before.role
  if (isRenamed) await assertAllowedRole(services, call, role)
  if (isRenamed) await assertFree(services, call, groupId, role)
  if (members !== undefined) await checkMemberChanges(services, call, role, members)
  const former = isRenamed ? before.role : undefined
  const asked = await askAboutMembers(services, call, role, members, former)
  const isChanged = isRenamed || externalId !== before.externalId
  const store = () => storeNames(services, call, before, { role, externalId })
  const rename = () => renameGroup(services, call, before, role, store, asked)
  const group = isRenamed ? await rename() : isChanged ? await store() : before
  if (members !== undefined) await changeMembers(services, call, group, members, asked)
  return group
}

/** If another process renames or deletes the group meanwhile, or takes the name, the members follow the group. */
async function renameGroup(
  services: ScimServices,
  call: Call,
  { id, role: former }: StoredScimGroup,
  role: string,
  store: () => Promise<ScimGroup>,
  asked: AskedVersions | undefined,
): Promise<ScimGroup> {
  const renamed = new Set<string>()
  await replaceRole(services, call, former, role, renamed, asked)
  try {
    const group = await store()
    // Members who came under the old name meanwhile
    await replaceRole(services, call, former, role, renamed)
    return group
  } finally {
    if (renamed.size > 0) await followGroup(services, call, { id, role }, renamed)
  }
}

async function assertFree(
  { repository }: ScimServices,
  { accountId }: Call,
  groupId: string,
  role: string,
): Promise<void> {
  const [other] = await repository.scim.findGroupsOf(accountId, [toNameKey(role)])
  if (other !== undefined && other.id !== groupId) throw new ClienteleError('scim_group_taken')
}

async function storeNames(
  services: ScimServices,
  call: Call,
  { id, version }: StoredScimGroup,
  { role, externalId }: Pick<ScimGroup, 'role' | 'externalId'>,
): Promise<ScimGroup> {
  const { repository, events, clock } = services
  const { accountId } = call
  const event = newEvent(services, call, 'group.updated', accountId, { groupId: id, role })
  const changes = { role, roleKey: toNameKey(role), externalId, updatedAt: clock() }
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
  const { accountId } = call
  const { role, version } = await findScimGroup(services, call, groupId)
  if (expectedVersion !== null && version !== expectedVersion) throw changedSince()
  const asked = await askAboutMembers(services, call, undefined, undefined, role)
  await replaceRole(services, call, role, undefined, undefined, asked)
  const event = newEvent(services, call, 'group.deleted', accountId, { groupId, role })
  const isDeleted = await repository.scim.deleteGroup(accountId, groupId, version, event)
  // Another process has renamed it: its members have another role.
  if (!isDeleted) throw changedSince()
  events.emit(event)
  // Members who came meanwhile
  await replaceRole(services, call, role, undefined)
}

function changedSince(): ClienteleError {
  const message = 'The group has changed since: If-Match does not match its version.'
  return new ClienteleError('precondition_failed', message)
}

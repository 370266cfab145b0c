import type { Call } from '../base/call/call.ts'
import { isId } from '../base/input/id.ts'
import type { ScimGroup } from '../capabilities/scim/scim-group.ts'
import { type ScimUser, toNameKey } from '../capabilities/scim/scim-user.ts'
import type { Filter } from './filter/filter.ts'
import type { ScimRoutesServices } from './services.ts'
import { rolesOf } from './user-resource.ts'

/** How long the roles may be that are looked up at once, in characters of their JSON: keys of long ones take time. */
const rolesAtOnce = 64 * 1024

/** Users beside their groups. Those of the next users are looked up when the ones before have been taken. */
export async function* withGroups(
  services: ScimRoutesServices,
  call: Call,
  users: readonly ScimUser[],
): AsyncGenerator<{ user: ScimUser; groups: ScimGroup[] }> {
  for (const part of splitByRoles(users)) {
    const groupsOf = await findGroupsOfUsers(services, call, part)
    for (const user of part) yield { user, groups: groupsOf(user) }
  }
}

function* splitByRoles(users: readonly ScimUser[]): Generator<ScimUser[]> {
  let part: ScimUser[] = []
  let length = 0
  for (const each of users) {
    part.push(each)
    length += each.user.roles.length
    if (length < rolesAtOnce) continue
    yield part
    part = []
    length = 0
  }
  if (part.length > 0) yield part
}

/** Finds the groups of users: those of their roles. */
export async function findGroupsOfUsers(
  { repository }: ScimRoutesServices,
  { accountId }: Call,
  users: readonly ScimUser[],
): Promise<(user: ScimUser) => ScimGroup[]> {
  const roles = new Set(users.flatMap(rolesOf))
  const keys = new Set([...roles].map(toNameKey))
  const groups = await repository.scim.findGroupsOf(accountId, [...keys])
  const byRole = new Map(groups.map((group) => [group.role, group]))
  return (user) => rolesOf(user).flatMap((role) => byRole.get(role) ?? [])
}

/** The ids of the groups that a filter names, by their roles. */
export async function readGroupIds(
  { repository }: ScimRoutesServices,
  { accountId }: Call,
  filter: Filter | undefined,
): Promise<Map<string, string>> {
  const ids = new Set(filter === undefined ? [] : listGroupIds(filter))
  const groups = await Promise.all([...ids].map((id) => repository.scim.findGroup(accountId, id)))
  return new Map(groups.flatMap((group) => (group === undefined ? [] : [[group.role, group.id]])))
}

function listGroupIds(filter: Filter): string[] {
  if (filter.kind === 'not') return listGroupIds(filter.part)
  if (filter.kind !== 'compare') return filter.parts.flatMap(listGroupIds)
  const { attribute, value } = filter
  return attribute.startsWith('groups') && isId(value) ? [value] : []
}

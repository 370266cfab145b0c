import type { Call } from '../base/call/call.ts'
import { isId } from '../base/input/id.ts'
import type { ScimGroup } from '../capabilities/scim/scim-group.ts'
import { type ScimUser, toNameKey } from '../capabilities/scim/scim-user.ts'
import type { Filter } from './filter/filter.ts'
import type { ScimRoutesServices } from './services.ts'
import { rolesOf } from './user-resource.ts'

/** Finds the groups of users: those of their roles. */
export async function findGroupsOfUsers(
  { repository }: ScimRoutesServices,
  { accountId }: Call,
  users: readonly ScimUser[],
): Promise<(user: ScimUser) => ScimGroup[]> {
  const keys = new Set(users.flatMap((user) => rolesOf(user).map(toNameKey)))
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

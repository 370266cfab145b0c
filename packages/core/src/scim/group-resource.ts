import type { ScimGroup, ScimMember } from '../capabilities/scim/scim-group.ts'
import { groupSchema } from './attribute-name.ts'
import type { AttributeValue, ReadAttribute } from './filter/match-filter.ts'
import { type Resource, renderMeta } from './resource.ts'

/**
 * A group as a resource (RFC 7643, section 4.2).
 *
 * @param members undefined: they are left out
 */
export function renderGroup(
  root: string,
  group: ScimGroup,
  members: readonly ScimMember[] | undefined,
): Resource {
  const { id, role, externalId } = group
  return {
    schemas: [groupSchema],
    id,
    ...(externalId !== null && { externalId }),
    displayName: role,
    ...(members !== undefined && {
      members: members.map(({ id: value, name }) => ({
        value,
        display: name,
        $ref: `${root}/Users/${value}`,
        type: 'User',
      })),
    }),
    meta: renderMeta(root, 'Group', group),
  }
}

const readers: Record<string, (group: ScimGroup) => AttributeValue | null> = {
  id: ({ id }) => id,
  displayname: ({ role }) => role,
  externalid: ({ externalId }) => externalId,
  'meta.created': ({ createdAt }) => new Date(createdAt).toISOString(),
}

/** The attributes of groups that filters and orders support, in lower case. */
export const groupAttributes: ReadonlySet<string> = new Set(Object.keys(readers))
/** Those of which a filter asks whether they have an id */
export const groupReferences: ReadonlySet<string> = new Set(['members', 'members.value'])

/** @param rolesOf the roles of users by their ids: of those that the filter names */
export function createReadGroup(
  rolesOf: ReadonlyMap<string, readonly string[]>,
): ReadAttribute<ScimGroup> {
  return (group, attribute) => {
    if (groupReferences.has(attribute))
      return [...rolesOf].flatMap(([id, roles]) => (roles.includes(group.role) ? [id] : []))
    const value = readers[attribute]?.(group) ?? null
    return value === null ? [] : [value]
  }
}

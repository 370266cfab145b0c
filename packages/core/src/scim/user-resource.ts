import type { ScimGroup } from '../capabilities/scim/scim-group.ts'
import type { ScimUser } from '../capabilities/scim/scim-user.ts'
import type { SearchedUser } from '../capabilities/scim/search-scim-users.ts'
import { userSchema } from './attribute-name.ts'
import type { AttributeValue, ReadAttribute } from './filter/match-filter.ts'
import { type Resource, renderMeta } from './resource.ts'

/** A user as a resource (RFC 7643, section 4.1). */
export function renderUser(
  root: string,
  { user, version, names }: ScimUser,
  groups: readonly ScimGroup[],
): Resource {
  const { userName, externalId, givenName, familyName } = names
  return {
    schemas: [userSchema],
    id: user.id,
    ...(externalId !== null && { externalId }),
    userName,
    name: {
      formatted: user.name,
      ...(givenName !== null && { givenName }),
      ...(familyName !== null && { familyName }),
    },
    displayName: user.name,
    emails: [{ value: user.email, type: 'work', primary: true }],
    active: user.isActive,
    groups: groups.map(({ id, role }) => ({
      value: id,
      display: role,
      $ref: `${root}/Groups/${id}`,
      type: 'direct',
    })),
    meta: renderMeta(root, 'User', { ...user, version }),
  }
}

/** The roles of a user */
export function rolesOf({ user }: ScimUser): string[] {
  return JSON.parse(user.roles) as string[] // as it is stored
}

const readers: Record<string, (user: ScimUser) => AttributeValue | null> = {
  id: ({ user }) => user.id,
  username: ({ names }) => names.userName,
  externalid: ({ names }) => names.externalId,
  displayname: ({ user }) => user.name,
  'name.formatted': ({ user }) => user.name,
  'name.givenname': ({ names }) => names.givenName,
  'name.familyname': ({ names }) => names.familyName,
  emails: ({ user }) => user.email,
  'emails.value': ({ user }) => user.email,
  'emails.type': () => 'work',
  'emails.primary': () => true,
  active: ({ user }) => user.isActive,
  'meta.created': ({ user }) => new Date(user.createdAt).toISOString(),
}

/** The attributes of users that filters and orders support, in lower case. */
export const userAttributes: ReadonlySet<string> = new Set(Object.keys(readers))
/** Those of which a filter asks whether they have an id */
export const userReferences: ReadonlySet<string> = new Set(['groups', 'groups.value'])

/** @param groupIdsOf the ids of groups by role: those that the filter names */
export function createReadUser(
  groupIdsOf: ReadonlyMap<string, string>,
): ReadAttribute<SearchedUser> {
  return (user, attribute, asKey = false) => {
    if (userReferences.has(attribute))
      return rolesOf(user).flatMap((role) => groupIdsOf.get(role) ?? [])
    const isName = asKey && attribute === 'username'
    const value = (isName ? user.userNameKey : readers[attribute]?.(user)) ?? null
    return value === null ? [] : [value]
  }
}

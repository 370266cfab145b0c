import { toAddressKey } from '../../user-model/address-key.ts'
import { toSearchKey } from '../../user-model/search-key.ts'
import type { StoredUser, VersionedUser } from '../../user-model/stored-user.ts'

/** The names that an identity provider gives to a user through SCIM. */
export interface ScimNames {
  /** Unique in the account without regard to case */
  userName: string
  /** The id of the user at the identity provider; null: it has given none */
  externalId: string | null
  givenName: string | null
  familyName: string | null
}

export interface StoredScimNames extends ScimNames {
  userNameKey: string
  /** The user's name when given and family name were written: they do not count for another name */
  fullName: string
}

/** A user as SCIM sees it. */
export interface ScimUser extends VersionedUser {
  names: ScimNames
  /** Whether given and family name were given; otherwise they are parts of the name */
  hasParts: boolean
}

/** The form in which user names and names of groups are compared: without regard to case. */
export const toNameKey = toSearchKey

export function toStoredNames(names: ScimNames, fullName: string): StoredScimNames {
  // In one spelling of the domain: it must not be free for another user in the other one.
  return { ...names, userNameKey: toAddressKey(names.userName), fullName }
}

/** The names as they were given. */
export function toScimNames({ userName, externalId, givenName, familyName }: ScimNames): ScimNames {
  return { userName, externalId, givenName, familyName }
}

/**
 * A user with the names for SCIM. A user who was not created through SCIM has the e-mail address as user name. Given and
 * family name are taken from the name if none are stored for it.
 */
export function toScimUser(
  { user, version }: VersionedUser,
  stored: StoredScimNames | undefined,
): ScimUser {
  const { userName, externalId } = stored ?? { userName: user.email, externalId: null }
  const isGiven = hasParts(user, stored)
  const { givenName, familyName } = isGiven ? stored : splitName(user)
  const names = { userName, externalId, givenName, familyName }
  return { user, version, names, hasParts: isGiven }
}

function hasParts(
  { name }: StoredUser,
  stored: StoredScimNames | undefined,
): stored is StoredScimNames {
  return stored?.fullName === name && (stored.givenName !== null || stored.familyName !== null)
}

function splitName({ name }: StoredUser): Pick<ScimNames, 'givenName' | 'familyName'> {
  const end = name.lastIndexOf(' ')
  if (end === -1) return { givenName: name, familyName: null }
  return { givenName: name.slice(0, end).trimEnd(), familyName: name.slice(end + 1) }
}

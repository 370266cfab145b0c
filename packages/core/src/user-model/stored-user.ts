import type { ClientUser, Profile, UserResult } from './client-user.ts'
import {
  columnOf,
  mapFields,
  mapProfile,
  type ProfileFieldName,
  type StoredFields,
  type UserColumns,
  userFieldNames,
  userFields,
} from './fields.ts'

/** A stored user: times in milliseconds since the epoch, JSON as text that is sent unchanged. */
export interface StoredUser extends StoredFields {}

/** The members of a stored user that come from a caller's input. */
export type StoredProfile = Pick<StoredUser, ProfileFieldName>

/** A user with the version from which its `ETag` is made: 1 at creation, increased by each change. */
export interface VersionedUser {
  user: StoredUser
  version: number
}

export function toStoredProfile(profile: Profile): StoredProfile {
  return mapProfile((name) => storeField(name, profile[name]))
}

export function storeField(name: ProfileFieldName, value: Profile[ProfileFieldName]): string {
  return userFields[name].kind === 'json' ? JSON.stringify(value) : String(value)
}

/** The user as callers in process see it. */
export function toClientUser(user: StoredUser): ClientUser {
  return mapFields(userFieldNames, (name) => {
    const { kind } = userFields[name]
    const value = user[name]
    if (kind === 'json') return JSON.parse(String(value))
    return kind === 'time' ? new Date(Number(value)) : value
  })
}

export function toUserResult({ user, version }: VersionedUser): UserResult {
  return { user: toClientUser(user), version }
}

/** The fields and their columns, prepared once: lists read many users per response. */
const columns = userFieldNames.map((name) => ({
  name,
  column: columnOf(name),
  isFlag: userFields[name].kind === 'flag',
}))

/** The user in a row. */
export function toStoredUser(row: UserColumns): StoredUser {
  const user: Record<string, unknown> = {}
  for (const { name, column, isFlag } of columns)
    user[name] = isFlag ? Boolean(row[column]) : row[column]
  return user as unknown as StoredUser // one member per field, of its kind
}

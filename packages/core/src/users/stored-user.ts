import type { JsonObject } from '../input/json.ts'
import type { ClientUser, Profile, UserResult } from './client-user.ts'

/** A user as it is kept: times in milliseconds since the epoch, roles and metadata as JSON that is sent as it is. */
export interface StoredUser {
  id: string
  email: string
  name: string
  roles: string
  metadata: string
  isActive: boolean
  createdAt: number
  updatedAt: number
}

/** Of a user as it is kept, what is made of a caller's input and changed with it. */
export type StoredProfile = Pick<StoredUser, 'email' | 'name' | 'roles' | 'metadata'>

/** A user with the version from which its `ETag` is made: 1 at creation, one more at each change. */
export interface VersionedUser {
  user: StoredUser
  version: number
}

export function toStoredProfile({ email, name, roles, metadata }: Profile): StoredProfile {
  return { email, name, roles: JSON.stringify(roles), metadata: JSON.stringify(metadata) }
}

/** The user as callers in process see it. */
export function toClientUser(user: StoredUser): ClientUser {
  return {
    id: user.id,
    email: user.email,
    name: user.name,
    roles: JSON.parse(user.roles) as string[], // written by us from string[]
    metadata: JSON.parse(user.metadata) as JsonObject, // written by us
    isActive: user.isActive,
    createdAt: new Date(user.createdAt),
    updatedAt: new Date(user.updatedAt),
  }
}

export function toUserResult({ user, version }: VersionedUser): UserResult {
  return { user: toClientUser(user), version }
}

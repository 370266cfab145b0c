import type { ClientUser, CreateUser, InviteUser, ReplaceUser } from '@clientele/client'
import { english } from '../../english.ts'

/** A user as it stands in a form. */
export interface UserDraft {
  name: string
  email: string
  /** Empty: none is set */
  password: string
  roles: string[]
  /** JSON, as it is typed */
  metadata: string
  isActive: boolean
}

export const emptyDraft: UserDraft = {
  name: '',
  email: '',
  password: '',
  roles: [],
  metadata: '',
  isActive: true,
}

export function toDraft(user: ClientUser): UserDraft {
  return {
    name: user.name,
    email: user.email,
    password: '',
    roles: user.roles,
    metadata: writeMetadata(user.metadata),
    isActive: user.is_active,
  }
}

export function writeMetadata(metadata: Record<string, unknown>): string {
  return Object.keys(metadata).length === 0 ? '' : JSON.stringify(metadata, null, 2)
}

/** Why a text cannot be metadata; undefined: it can. The server checks the entries. */
export function findMetadataIssue(text: string): string | undefined {
  return readMetadata(text) === undefined ? english.users.metadataInvalid : undefined
}

/** The object in a JSON text; undefined: the text has no object. */
function readMetadata(text: string): Record<string, unknown> | undefined {
  if (text.trim() === '') return {}
  try {
    const value: unknown = JSON.parse(text)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? { ...value } : undefined
  } catch {
    return undefined
  }
}

/** The request body for a new user. */
export function toNewUser(draft: UserDraft): CreateUser {
  return { ...toProfile(draft), password: draft.password }
}

/** The request body for a user who is invited: they set the password. */
export function toInvitedUser(draft: UserDraft): InviteUser {
  const { is_active: _, ...profile } = toProfile(draft)
  return profile
}

/** The request body for a changed user: all fields, except an unchanged password. */
export function toReplacement(draft: UserDraft): ReplaceUser {
  const { password } = draft
  return password === '' ? toProfile(draft) : { ...toProfile(draft), password }
}

function toProfile({ name, email, roles, metadata, isActive }: UserDraft): ReplaceUser {
  return { name, email, roles, metadata: readMetadata(metadata) ?? {}, is_active: isActive }
}

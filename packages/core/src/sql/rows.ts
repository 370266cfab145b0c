import type { Account } from '../capabilities/accounts/account.ts'
import type { PasskeySettings } from '../capabilities/accounts/passkey-settings.ts'
import type { ApiKey, Scope } from '../capabilities/api-keys/api-key.ts'
import { columnOf, userFieldNames } from '../user-model/fields.ts'
import { toStoredUser, type VersionedUser } from '../user-model/stored-user.ts'
import type { Database, UserRow } from './database.ts'

/** The columns of a user that callers may see, as a write returns them; never the password hash. */
export const returnedUserColumns = [...userFieldNames.map(columnOf), 'version'] as const

/** The same of the table `clientele_users as u`. */
export const userColumns = returnedUserColumns.map((column) => `u.${column}` as const)

export type VisibleUserRow = Pick<UserRow, (typeof returnedUserColumns)[number]>

export function toVersionedUser(row: VisibleUserRow): VersionedUser {
  return { user: toStoredUser(row), version: row.version }
}

export function toAccount(row: Database['clientele_accounts']): Account {
  return {
    id: row.id,
    name: row.name,
    allowedRoles: toAllowedRoles(row.allowed_roles),
    createdAt: new Date(row.created_at),
    disabledAt: toDate(row.disabled_at),
    passkeys: toPasskeySettings(row.passkeys),
  }
}

export const apiKeyColumns = [
  'id',
  'name',
  'scopes',
  'prefix',
  'created_at',
  'expires_at',
  'revoked_at',
  'last_used_at',
] as const

export function toApiKey(
  row: Pick<Database['clientele_api_keys'], (typeof apiKeyColumns)[number]>,
): ApiKey {
  return {
    id: row.id,
    name: row.name,
    scopes: toScopes(row.scopes),
    prefix: row.prefix,
    createdAt: new Date(row.created_at),
    expiresAt: toDate(row.expires_at),
    revokedAt: toDate(row.revoked_at),
    lastUsedAt: toDate(row.last_used_at),
  }
}

export function toAllowedRoles(text: string | null): string[] | null {
  return text === null ? null : (JSON.parse(text) as string[]) // written by us from string[]
}

function toPasskeySettings(text: string | null): PasskeySettings | null {
  return text === null ? null : (JSON.parse(text) as PasskeySettings) // written by us from PasskeySettings
}

export function toScopes(text: string): Scope[] {
  return JSON.parse(text) as Scope[] // written by us from Scope[]
}

function toDate(milliseconds: number | null): Date | null {
  return milliseconds === null ? null : new Date(milliseconds)
}

import type { Account } from '../accounts/account.ts'
import type { ApiKey, Scope } from '../api-keys/api-key.ts'
import type { JsonObject } from '../input/json.ts'
import type { VersionedUser } from '../users/client-user.ts'
import type { Database, UserRow } from './database.ts'

/** The columns of a user that callers may see, as a write returns them; never the password hash. */
export const returnedUserColumns = [
  'id',
  'email',
  'name',
  'roles',
  'metadata',
  'is_active',
  'created_at',
  'updated_at',
  'version',
] as const

/** The same of the table `clientele_users as u`. */
export const userColumns = returnedUserColumns.map((column) => `u.${column}` as const)

export type VisibleUserRow = Pick<UserRow, (typeof returnedUserColumns)[number]>

export function toVersionedUser(row: VisibleUserRow): VersionedUser {
  return {
    user: {
      id: row.id,
      email: row.email,
      name: row.name,
      roles: row.roles === '[]' ? [] : (JSON.parse(row.roles) as string[]), // written by us from string[]
      metadata: row.metadata === '{}' ? {} : (JSON.parse(row.metadata) as JsonObject), // written by us
      is_active: Boolean(row.is_active),
      created_at: toIsoTime(row.created_at),
      updated_at: toIsoTime(row.updated_at),
    },
    version: row.version,
  }
}

export function toAccount(row: Database['clientele_accounts']): Account {
  return {
    id: row.id,
    name: row.name,
    allowedRoles: toAllowedRoles(row.allowed_roles),
    created_at: toIsoTime(row.created_at),
    disabled_at: toOptionalIsoTime(row.disabled_at),
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
    created_at: toIsoTime(row.created_at),
    expires_at: toOptionalIsoTime(row.expires_at),
    revoked_at: toOptionalIsoTime(row.revoked_at),
    last_used_at: toOptionalIsoTime(row.last_used_at),
  }
}

export function toAllowedRoles(text: string | null): string[] | null {
  return text === null ? null : (JSON.parse(text) as string[]) // written by us from string[]
}

export function toScopes(text: string): Scope[] {
  return JSON.parse(text) as Scope[] // written by us from Scope[]
}

export function toIsoTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString()
}

function toOptionalIsoTime(milliseconds: number | null): string | null {
  return milliseconds === null ? null : toIsoTime(milliseconds)
}

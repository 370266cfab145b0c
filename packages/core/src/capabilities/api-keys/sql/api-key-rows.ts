import type { Scope } from '../../../base/call/scope.ts'
import type { Database } from '../../../sql/tables/tables.ts'
import { toDate } from '../../../sql/to-date.ts'
import type { ApiKey } from '../api-key.ts'

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

export function toScopes(text: string): Scope[] {
  return JSON.parse(text) as Scope[] // written by us from Scope[]
}

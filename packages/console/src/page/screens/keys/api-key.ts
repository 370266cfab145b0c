import type { Scope } from '../../session/session.ts'

/** An API key as the console's server lists it: never its secret. */
export interface ApiKey {
  id: string
  name: string
  scopes: readonly Scope[]
  /** The secret's beginning */
  prefix: string
  created_at: string
  expires_at: string | null
  revoked_at: string | null
  last_used_at: string | null
}

export interface ApiKeyList {
  api_keys: readonly ApiKey[]
}

/** The response to a creation, with the secret that is shown only once. */
export interface NewApiKey {
  id: string
  api_key: string
}

/** The scopes of a key for which none are named */
export const usualScopes: readonly Scope[] = [
  'users:read',
  'users:write',
  'tokens:validate',
  'tokens:issue',
  'events:read',
  'webhooks:write',
]

export const allScopes: readonly Scope[] = [...usualScopes, 'users:impersonate', 'scim']

/** Whether a key is accepted now. */
export function isUsable({ revoked_at: revokedAt, expires_at: expiresAt }: ApiKey): boolean {
  return revokedAt === null && (expiresAt === null || Date.parse(expiresAt) > Date.now())
}

/** The permissions of an API key for which none are named. */
export const defaultScopes = [
  'users:read',
  'users:write',
  'tokens:validate',
  'tokens:issue',
  'events:read',
  'webhooks:write',
] as const

/** All permissions. A key has one that is not in `defaultScopes` only if it is named. */
export const scopes = [...defaultScopes, 'users:impersonate', 'scim'] as const

/** The permissions of an API key. */
export type Scope = (typeof scopes)[number]

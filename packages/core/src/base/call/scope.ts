export const scopes = [
  'users:read',
  'users:write',
  'tokens:validate',
  'tokens:issue',
  'events:read',
  'webhooks:write',
] as const

/** The permissions of an API key. */
export type Scope = (typeof scopes)[number]

export const scopes = [
  'users:read',
  'users:write',
  'tokens:validate',
  'tokens:issue',
  'events:read',
  'webhooks:write',
] as const

/** What an API key may do. */
export type Scope = (typeof scopes)[number]

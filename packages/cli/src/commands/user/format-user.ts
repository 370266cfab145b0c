import type { ClientUser } from '@clientele/core'

/** A user as a row of a table, or as a paragraph if the terminal is narrow. */
export function formatUser({ id, email, name, roles, isActive, createdAt }: ClientUser) {
  const status = isActive ? 'active' : 'deactivated'
  return { id, email, name, roles, status, created: createdAt.toISOString().slice(0, 10) }
}

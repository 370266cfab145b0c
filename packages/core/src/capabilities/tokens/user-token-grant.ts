import type { UserTokenState } from '../../user-model/subject-state.ts'

/** What a validated token of a user's own may do, and until when. */
export interface UserTokenGrant {
  id: string
  name: string
  /** The application's own words */
  scopes: string[]
  /** Null: it does not expire */
  expiresAt: Date | null
}

export function toGrant({ id, name, scopes, expiresAt }: UserTokenState): UserTokenGrant {
  return { id, name, scopes, expiresAt: expiresAt === null ? null : new Date(expiresAt) }
}

import type { Db } from '../../../sql/db.ts'
import { writeWithEffects } from '../../../sql/write-with-effects.ts'

/** Stores an account. Its allowed roles are text, see `toRolesText`. */
export function createInsertAccount(db: Db) {
  return writeWithEffects<{
    id: string
    name: string
    allowedRoles: string | null
    createdAt: number
  }>(db)((queries, value) =>
    queries
      .insertInto('clientele_accounts')
      .values({
        id: value('id'),
        name: value('name'),
        allowed_roles: value('allowedRoles'),
        created_at: value('createdAt'),
      })
      .returning('id'),
  )
}

export function toRolesText(roles: string[] | null): string | null {
  return roles === null ? null : JSON.stringify(roles)
}

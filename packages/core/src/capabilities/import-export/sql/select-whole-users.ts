import type { Expression } from 'kysely'
import type { Queries } from '../../../sql/db.ts'
import { toStoredUser } from '../../../user-model/stored-user.ts'
import { userColumns, type VisibleUserRow } from '../../users/sql/user-rows.ts'
import type { KnownUser } from '../store.ts'

/** An account's users with all their exported data, including the password's hash and when the address was verified. */
export function selectWholeUsers(queries: Queries, accountId: Expression<string>) {
  return queries
    .selectFrom('clientele_users as u')
    .select(userColumns)
    .select('u.password_hash')
    .select((of) =>
      of
        .selectFrom('clientele_verified_emails as v')
        .select('v.verified_at')
        .where('v.account_id', '=', accountId)
        .whereRef('v.user_id', '=', 'u.id')
        .whereRef('v.email', '=', 'u.email')
        .as('verified_at'),
    )
    .where('u.account_id', '=', accountId)
    .orderBy('u.id')
}

export function toKnownUser(
  row: VisibleUserRow & { password_hash: string | null; verified_at: number | null },
): KnownUser {
  return { ...toStoredUser(row), passwordHash: row.password_hash, verifiedAt: row.verified_at }
}

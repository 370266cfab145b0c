import { sql } from 'kysely'
import type { Db } from '../../../sql/db.ts'
import { changedBy, type Effect } from '../../../sql/effects.ts'

/** For how long an expired or revoked token is told apart from an unknown one. */
export const keptMs = 30 * 24 * 3_600_000

/**
 * Revokes the own tokens of the changed user, at the time from which the change refuses other tokens
 * (`tokens_not_before`), and ends the JWTs that they were exchanged for.
 *
 * @param unlessActive whether the tokens of an active user stay: they live through another password, but not their JWTs
 */
export function endUserTokens(
  db: Db,
  { unlessActive }: { unlessActive: boolean },
): Effect<{ accountId: string }> {
  return (queries, value) =>
    queries
      .updateTable('clientele_user_tokens')
      .set((of) => {
        const changedAt = of
          .selectFrom('clientele_users as u')
          .select('u.tokens_not_before')
          .where('u.account_id', '=', value('accountId'))
          .whereRef('u.id', '=', 'clientele_user_tokens.user_id')
        // Null: the token stays.
        const endedAt = unlessActive
          ? changedAt.where('u.is_active', '=', sql.lit(false))
          : changedAt
        return {
          revoked_at: endedAt,
          kept_until: sql<number>`coalesce(${endedAt} + ${sql.lit(keptMs)}, kept_until)`,
          jwts_not_before: changedAt,
        }
      })
      .where('account_id', '=', value('accountId'))
      // The keys are read first, as in `revokeCredentials`.
      .where('id', 'in', (of) =>
        of
          .selectFrom('clientele_user_tokens as t')
          .select('t.id')
          .where('t.account_id', '=', value('accountId'))
          .where('t.user_id', changedBy(db), (user) => user.selectFrom('changed').select('id'))
          .where('t.revoked_at', 'is', null),
      )
}

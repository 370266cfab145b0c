import type { Db } from '../../sql/db.ts'
import type { Effect } from '../../sql/write-with-effects.ts'

interface Revocation {
  accountId: string
  /** The session that goes on; null: none does */
  keepSessionId: string | null
}

/**
 * What ends when a user gets another password or is shut out: sessions, sign-ins that wait for a second factor, and
 * whatever was mailed. What was asked for before gives nobody a way past what is decided now.
 *
 * The tokens of a session are refused with it. Those of other issuers are refused by `tokens_not_before`, which the
 * change itself sets. A deletion needs none of this: all that belongs to a user goes with its row, by foreign keys.
 *
 * Whoever uses these effects reads `changed` as of the latest moment (`seesLatest`): a sign-in that had the user's row
 * before the change has opened a session meanwhile.
 */
export function revokeCredentials(db: Db): Effect<Revocation>[] {
  const endSessions: Effect<Revocation> = (queries, value) =>
    queries
      .deleteFrom('clientele_sessions')
      .where('account_id', '=', value('accountId'))
      .where('user_id', 'in', (of) => of.selectFrom('changed').select('id'))
      .where('id', 'is distinct from', db.typed(value('keepSessionId'), 'id'))
  const endSecrets = (
    table: 'clientele_challenges' | 'clientele_email_tokens',
  ): Effect<Revocation> => {
    return (queries, value) =>
      queries
        .deleteFrom(table)
        .where('account_id', '=', value('accountId'))
        .where('user_id', 'in', (of) => of.selectFrom('changed').select('id'))
  }
  return [endSessions, endSecrets('clientele_challenges'), endSecrets('clientele_email_tokens')]
}

import type { Expression, QueryCreator } from 'kysely'
import type { Database } from './database.ts'
import type { DialectFeatures } from './dialect-features.ts'

/** How many of an account's expired rows are cleared away at once, when one is added. */
const clearedAtOnce = 10

/**
 * Deletes some of an account's expired sessions: those who never come back leave theirs behind. With every one that is
 * added so many go that the table stays as large as its use.
 */
export function deleteExpiredSessions(
  queries: QueryCreator<Database>,
  { hasConcurrentWriters }: DialectFeatures,
  accountId: Expression<string>,
  now: Expression<number>,
) {
  return queries
    .deleteFrom('clientele_sessions')
    .where('account_id', '=', accountId)
    .where('id', 'in', (of) =>
      of
        .selectFrom('clientele_sessions')
        .select('id')
        .where('account_id', '=', accountId)
        .where('expires_at', '<=', now)
        .orderBy('expires_at')
        .limit(clearedAtOnce)
        // Whoever else clears away at this moment has those rows: nobody waits for it.
        .$if(hasConcurrentWriters, (locked) => locked.forUpdate().skipLocked()),
    )
}

/** The same for challenges, and for mailed tokens. */
export function deleteExpiredSecrets(
  queries: QueryCreator<Database>,
  table: 'clientele_challenges' | 'clientele_email_tokens',
  { hasConcurrentWriters }: DialectFeatures,
  accountId: Expression<string>,
  now: Expression<number>,
) {
  return queries
    .deleteFrom(table)
    .where('account_id', '=', accountId)
    .where('hash', 'in', (of) =>
      of
        .selectFrom(table)
        .select('hash')
        .where('account_id', '=', accountId)
        .where('expires_at', '<=', now)
        .orderBy('expires_at')
        .limit(clearedAtOnce)
        .$if(hasConcurrentWriters, (locked) => locked.forUpdate().skipLocked()),
    )
}

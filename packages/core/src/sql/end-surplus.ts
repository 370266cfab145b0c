import { sql } from 'kysely'
import { maxSetBackMs } from '../base/runtime/latest-end.ts'
import type { Db } from './db.ts'

/** How many rows of a user stay, and how many are deleted at once */
const maxOpen = 100

/** What callers may begin any number of times for a user */
type OpenTable = 'clientele_challenges' | 'clientele_passkey_ceremonies' | 'clientele_email_tokens'

/**
 * Makes the function that deletes what was begun for a user before the latest hundred: those that end last, so all rows
 * that are compared must live equally long. A new password, a deactivation
 * and a deletion end all of it in one statement, which must not take long.
 */
export function createEndSurplus(
  db: Db,
  table: OpenTable,
  /** Of the rows that are compared; where nothing is given, all of the user's are */
  purpose?: string,
): (accountId: string, userId: string, newestEnd: number) => Promise<void> {
  const deleteOldest = db.statement<{
    accountId: string
    userId: string
    latest: number
  }>()((queries, value) =>
    queries
      .deleteFrom(table)
      .where('account_id', '=', value('accountId'))
      .where((of) =>
        db.features.isAmong(
          of.ref('hash'),
          of
            .selectFrom(table)
            .select('hash')
            .where('account_id', '=', value('accountId'))
            .where('user_id', '=', value('userId'))
            .$if(purpose !== undefined, (rows) =>
              rows.where(sql.ref('purpose'), '=', sql.lit(purpose)),
            )
            // Those of a time when the clock was ahead end last, and are over.
            .orderBy((of) =>
              of.case().when('expires_at', '>', value('latest')).then(1).else(0).end(),
            )
            .orderBy('expires_at', 'desc')
            .limit(sql.lit(maxOpen))
            .offset(sql.lit(maxOpen)),
        ),
      ),
  )

  return async (accountId, userId, newestEnd) => {
    await db.query(deleteOldest, { accountId, userId, latest: newestEnd + maxSetBackMs })
  }
}

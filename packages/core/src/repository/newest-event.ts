import { sql } from 'kysely'
import type { Db } from '../sql/db.ts'
import type { StorageStore } from './repository.ts'

/** How many accounts are looked at: those that were made last and those that were made first. */
const accountsAtEachEnd = 20
/** How many of an account's last events are looked at */
const lastEvents = 1_000

/** Makes the look-up of the newest event before a time. It reads the last events of some accounts, one by one. */
export function createFindNewestEvent(db: Db): StorageStore['findNewestEvent'] {
  const [oldestAccounts, newestAccounts] = (['asc', 'desc'] as const).map((order) =>
    db.statement<object>()((queries) =>
      queries
        .selectFrom('clientele_accounts')
        .select('id')
        .orderBy('id', order)
        .limit(sql.lit(accountsAtEachEnd)),
    ),
  )
  const selectNewest = db.statement<{ accountId: string; before: number }>()((queries, value) =>
    queries
      .selectFrom((of) =>
        of
          .selectFrom('clientele_events')
          .select(['created_at', 'position'])
          .where('account_id', '=', value('accountId'))
          .where('position', 'is not', null)
          .orderBy('position', 'desc')
          .limit(sql.lit(lastEvents))
          .as('last'),
      )
      .select((of) => of.fn.max('created_at').as('at'))
      .where('created_at', '<', value('before')),
  )

  return async (before) => {
    const ids = new Set<string>()
    for (const statement of [oldestAccounts, newestAccounts])
      for (const { id } of statement ? await db.query(statement, {}) : []) ids.add(id)
    let newest: number | undefined
    for (const accountId of ids) {
      const at = (await db.queryOne(selectNewest, { accountId, before }))?.at ?? undefined
      if (at !== undefined) newest = Math.max(newest ?? 0, at)
    }
    return newest
  }
}

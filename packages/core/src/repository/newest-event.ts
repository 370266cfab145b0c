import { sql } from 'kysely'
import type { Db } from '../sql/db.ts'
import type { StorageStore } from './repository.ts'

/** How many accounts are looked at: those that were made last and those that were made first. */
const accountsAtEachEnd = 20
/** How many of an account's last events are looked at */
const lastEvents = 1_000

/** Makes the look-up of the newest event before a time. It reads the last events of some accounts. */
export function createFindNewestEvent(db: Db): StorageStore['findNewestEvent'] {
  const [ofOldest, ofNewest] = (['asc', 'desc'] as const).map((order) =>
    db.statement<{ before: number }>()((queries, value) =>
      queries
        .selectFrom((of) =>
          of
            .selectFrom('clientele_accounts')
            .select('id')
            .orderBy('id', order)
            .limit(sql.lit(accountsAtEachEnd))
            .as('a'),
        )
        .select((of) =>
          of
            .selectFrom((last) =>
              last
                .selectFrom('clientele_events as e')
                .select(['e.created_at', 'e.position'])
                .whereRef('e.account_id', '=', 'a.id')
                .where('e.position', 'is not', null)
                .orderBy('e.position', 'desc')
                .limit(sql.lit(lastEvents))
                .as('e'),
            )
            .select((each) => each.fn.max('e.created_at').as('newest'))
            .where('e.created_at', '<', value('before'))
            .as('at'),
        ),
    ),
  )

  return async (before) => {
    const found = await Promise.all(
      [ofOldest, ofNewest].map((statement) => statement && db.query(statement, { before })),
    )
    const times = found.flatMap((rows) => rows ?? []).flatMap(({ at }) => (at === null ? [] : [at]))
    return times.length === 0 ? undefined : Math.max(...times)
  }
}

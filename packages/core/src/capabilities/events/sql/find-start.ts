import { sql } from 'kysely'
import { lowestIdAt } from '../../../base/input/id.ts'
import type { Db } from '../../../sql/db.ts'
import type { EventStore } from '../store.ts'

/** For how many events ids are compared with positions. */
const comparedAtOnce = 1_000

/** Makes the function that finds the position before the first event since a time. */
export function createFindStart(db: Db, findEnd: EventStore['findEnd']): EventStore['findStart'] {
  /**
   * Searches by ids, which begin with the time: no index has the time alone. Positions follow the commits: of two
   * concurrent events the lower id may have the later position. So it takes the lowest position of several events, as
   * many as one look-up can afford, however many have been written since.
   */
  const selectFirst = db.statement<{ accountId: string; id: string }>()((queries, value) =>
    queries
      .selectFrom((of) =>
        of
          .selectFrom('clientele_events')
          .select(sql<number | null>`position`.as('place'))
          .where('account_id', '=', value('accountId'))
          .where('id', '>=', value('id'))
          .orderBy('id')
          .limit(sql.lit(comparedAtOnce))
          .as('first'),
      )
      .select((of) => sql<number | null>`${of.fn.min('first.place')}`.as('position')),
  )
  const selectEarlier = db.statement<{ accountId: string; id: string; position: number }>()(
    (queries, value) =>
      queries
        .selectFrom((of) =>
          of
            .selectFrom('clientele_events')
            .select(['id', sql<number | null>`position`.as('place')])
            .where('account_id', '=', value('accountId'))
            .where('position', '<', value('position'))
            .orderBy('position', 'desc')
            .limit(sql.lit(comparedAtOnce))
            .as('before'),
        )
        .select((of) => sql<number | null>`${of.fn.min('before.place')}`.as('position'))
        .where('before.id', '>=', value('id')),
  )

  return async (accountId, since) => {
    const { lastPosition } = await findEnd(accountId)
    const id = lowestIdAt(since)
    const [first] = await db.query(selectFirst, { accountId, id })
    if (first?.position == null) return lastPosition
    let { position } = first
    // A transaction that began later may have committed earlier.
    for (;;) {
      const [earlier] = await db.query(selectEarlier, { accountId, id, position })
      if (earlier?.position == null) return position - 1
      position = earlier.position
    }
  }
}

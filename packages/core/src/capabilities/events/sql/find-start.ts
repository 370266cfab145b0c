import { sql } from 'kysely'
import { lowestIdAt } from '../../../base/input/id.ts'
import type { Db } from '../../../sql/db.ts'
import type { EventStore } from '../store.ts'

/** For how many positions before an event ids are compared at once. */
const comparedAtOnce = 1_000

/** Makes the function that finds the position before the first event since a time. */
export function createFindStart(db: Db, findEnd: EventStore['findEnd']): EventStore['findStart'] {
  // By ids, which begin with the time: no index has the time alone. Without the plus SQLite goes through the index of
  // positions.
  const selectFirst = db.statement<{ accountId: string; id: string }>()((queries, value) =>
    queries
      .selectFrom('clientele_events')
      .select(sql<number>`position`.as('position'))
      .where('account_id', '=', value('accountId'))
      .where('id', '>=', value('id'))
      .where(sql<boolean>`+${sql.ref('position')} is not null`)
      .orderBy('id')
      .limit(sql.lit(1)),
  )
  // The range has at most as many positions as the limit. So databases read it by position, and not by id, where they
  // might read many more events.
  const selectEarlier = db.statement<{
    accountId: string
    id: string
    from: number
    position: number
  }>()((queries, value) =>
    queries
      .selectFrom((of) =>
        of
          .selectFrom('clientele_events')
          .select(['id', sql<number | null>`position`.as('place')])
          .where('account_id', '=', value('accountId'))
          .where('position', '>=', value('from'))
          .where('position', '<', value('position'))
          .limit(sql.lit(comparedAtOnce))
          .as('before'),
      )
      .select((of) => sql<number | null>`${of.fn.min('before.place')}`.as('position'))
      .where('before.id', '>=', value('id')),
  )

  return async (accountId, since) => {
    const { lastPosition } = await findEnd(accountId)
    const id = lowestIdAt(since)
    const first = await db.queryOne(selectFirst, { accountId, id })
    if (first === undefined) return lastPosition
    let { position } = first
    // Positions follow the commits: a transaction that began later may have committed earlier.
    for (;;) {
      const from = position - comparedAtOnce
      const [earlier] = await db.query(selectEarlier, { accountId, id, from, position })
      if (earlier?.position == null) return position - 1
      position = earlier.position
    }
  }
}

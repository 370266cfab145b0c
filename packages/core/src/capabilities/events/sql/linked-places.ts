import { sql } from 'kysely'
import type { Db } from '../../../sql/db.ts'
import { recordsFrom } from '../../../sql/records-from.ts'
import { run, type Transaction } from '../../../sql/statement.ts'
import type { ChainEnd, EventLinker, LinkedEvent } from '../store.ts'
import { toStoredEvent } from './feed-queries.ts'
import { eventColumns } from './record-event.ts'

/** Fewer than without a chain: on SQLite all other work waits while the digests are made. */
const placedAtOnce = 250

interface PlacedRow {
  id: string
  position: number
  chain: string | null
  person_salt: string | null
}

/** Assigns positions to the next events of a feed and links each to the previous one. The feed's row is locked. */
export function createLinkedPlaces(
  db: Db,
): (
  accountId: string,
  end: ChainEnd,
  linker: EventLinker,
) => Transaction<{ lastPosition: number; isWhole: boolean }> {
  const order = sql.ref<number>(db.features.insertionOrder.name)
  const selectPending = db.statement<{ accountId: string }>()((queries, value) =>
    queries
      .selectFrom('clientele_events')
      .select([...eventColumns, 'chain'])
      .where('account_id', '=', value('accountId'))
      .where('position', 'is', null)
      .orderBy(order)
      .limit(sql.lit(placedAtOnce))
      // Locks the rows, so that an erasure cannot remove a person while the entry is linked.
      .$if(db.features.hasConcurrentWriters, (locked) => locked.forUpdate()),
  )
  const place = db.statement<{ accountId: string; entries: string }>()((queries, value) =>
    recordsFrom(
      queries,
      db.features
        .recordsOfJsonArray<PlacedRow>(value('entries'), {
          id: 'id',
          position: 'counter',
          chain: 'text',
          person_salt: 'text',
        })
        .as('r'),
    )
      .updateTable('clientele_events')
      .from('r')
      .set((of) => ({
        position: of.ref('r.position'),
        chain: of.ref('r.chain'),
        person_salt: of.ref('r.person_salt'),
      }))
      .where('clientele_events.account_id', '=', value('accountId'))
      .where((of) =>
        db.features.isAmong(of.ref('clientele_events.id'), of.selectFrom('r').select('r.id')),
      )
      .whereRef('clientele_events.id', '=', 'r.id'),
  )
  const moveEnd = db.statement<{ accountId: string; lastPosition: number; chain: string | null }>()(
    (queries, value) =>
      queries
        .updateTable('clientele_event_feeds')
        .set({ last_position: value('lastPosition'), chain: value('chain') })
        .where('account_id', '=', value('accountId')),
  )

  return function* (accountId, end, linker) {
    const rows = yield* run(selectPending, { accountId })
    const lastPosition = end.position + rows.length
    const isWhole = rows.length < placedAtOnce
    if (rows.length === 0) return { lastPosition, isWhole }
    const pending = rows.map((row, index) => ({
      ...toStoredEvent({ ...row, position: end.position + index + 1 }),
      seal: row.chain,
    }))
    const { entries, chain } = linker.extend(accountId, end, pending)
    yield* run(place, { accountId, entries: JSON.stringify(entries.map(toRow)) })
    yield* run(moveEnd, { accountId, lastPosition, chain })
    return { lastPosition, isWhole }
  }
}

function toRow({ id, position, chain, personSalt }: LinkedEvent): PlacedRow {
  return { id, position, chain, person_salt: personSalt }
}

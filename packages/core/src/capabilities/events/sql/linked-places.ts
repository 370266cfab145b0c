import { sql } from 'kysely'
import type { Db } from '../../../sql/db.ts'
import { recordsFrom } from '../../../sql/records-from.ts'
import { run, type Transaction } from '../../../sql/statement.ts'
import type { ChainEnd, EventLinker } from '../store.ts'
import { toStoredEvent } from './feed-queries.ts'
import { isSameEvent } from './is-same-event.ts'
import { placeLimitsOf } from './place-limits.ts'
import { eventColumns } from './record-event.ts'

interface PlacedRow {
  id: string
  /** The order in which it was written, by which every plan finds it among those without a position */
  written: number
  position: number
  chain: string | null
  person_salt: string | null
}

/** The end of a feed after some events got their positions */
export interface PlacedEnd extends ChainEnd {
  /** Whether no event is left without a position */
  isWhole: boolean
}

/** Assigns positions to the next events of a feed and links each to the previous one. The feed's row is locked. */
export function createLinkedPlaces(
  db: Db,
): (accountId: string, end: ChainEnd, linker: EventLinker) => Transaction<PlacedEnd> {
  const { linkedAtOnce } = placeLimitsOf(db)
  const order = sql.ref<number>(`clientele_events.${db.features.insertionOrder.name}`)
  const selectPending = db.statement<{ accountId: string }>()((queries, value) =>
    queries
      .selectFrom('clientele_events')
      .select([...eventColumns, 'chain'])
      .select(order.as('written'))
      .where('account_id', '=', value('accountId'))
      .where('position', 'is', null)
      .orderBy(order)
      .limit(sql.lit(linkedAtOnce))
      // Locks the rows, so that an erasure cannot remove a person while the entry is linked.
      .$if(db.features.hasConcurrentWriters, (locked) => locked.forUpdate()),
  )
  const place = db.statement<{ accountId: string; entries: string }>()((queries, value) =>
    recordsFrom(
      queries,
      db.features
        .recordsOfJsonArray<PlacedRow>(value('entries'), {
          id: 'id',
          written: 'counter',
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
      .where('clientele_events.position', 'is', null)
      .where((of) => db.features.isAmong(order, of.selectFrom('r').select('r.written')))
      .where((of) => of(order, '=', of.ref('r.written')))
      .where((of) => isSameEvent(of.ref('clientele_events.id'), of.ref('r.id'))),
  )
  return function* (accountId, end, linker) {
    const rows = yield* run(selectPending, { accountId })
    const isWhole = rows.length < linkedAtOnce
    if (rows.length === 0) return { ...end, isWhole }
    const pending = rows.map((row, index) => ({
      ...toStoredEvent({ ...row, position: end.position + index + 1 }),
      seal: row.chain,
    }))
    const { entries, chain } = linker.extend(accountId, end, pending)
    const written = new Map(rows.map((row) => [row.id, row.written]))
    const placed = entries.map(({ id, personSalt, ...place }) => ({
      ...{ id, written: written.get(id), ...place, person_salt: personSalt },
    }))
    yield* run(place, { accountId, entries: JSON.stringify(placed) })
    return { position: end.position + rows.length, chain, isWhole }
  }
}

import { sql } from 'kysely'
import { BatchLoader } from '../../../sql/batch-loader.ts'
import type { Db } from '../../../sql/db.ts'
import type { EventStore, PlacedPage, PlacedRequest, StoredEvent } from '../store.ts'
import { type EventRow, sizeOfEvent, toStoredEvent } from './feed-queries.ts'
import { eventColumns } from './record-event.ts'
import type { PageSize } from './select-events.ts'

/** How many events of each feed a shared statement reads; a reader that wants more reads them by itself. */
const maxTogether = 10

interface PlacedCall extends PlacedRequest {
  accountId: string
}

/** A reader, in JSON */
interface Asked {
  number: number
  account_id: string
  after: number
  most: number
  /** JSON; null: all */
  types: string | null
}

interface Range extends PlacedRequest {
  until: number
}

/**
 * Makes the function that reads positioned events from feeds of several accounts. Simultaneous reads share a statement
 * if each statement is a round trip.
 *
 * @param readRange reads a range of one feed
 * @param maxBytes how large a page is; its last event may exceed that
 * @param maxPositions how many positions one response checks at most
 */
export function createReadPlaced(
  db: Db,
  readRange: (
    accountId: string,
    range: Range & { from: number },
    size: Required<PageSize>,
  ) => Promise<{ events: StoredEvent[]; isEnd: boolean }>,
  maxBytes: number,
  maxPositions: number,
): EventStore['readPlaced'] {
  const selectMany = {
    ofAny: createSelectMany(db, maxPositions, { isOfOne: false }),
    ofOne: createSelectMany(db, maxPositions, { isOfOne: true }),
  }

  /** @param ofAccount the account of all calls; '' if the calls are of several */
  async function readTogether(
    ofAccount: string,
    calls: readonly PlacedCall[],
  ): Promise<PlacedPage[]> {
    const asked = calls.map(({ accountId, after, limit, types }, number): Asked => {
      const texts = types === undefined ? null : JSON.stringify(types)
      const most = Math.min(limit, maxTogether)
      return { number, account_id: accountId, after, most, types: texts }
    })
    const statement = ofAccount === '' ? selectMany.ofAny : selectMany.ofOne
    const rows = await db.query(statement, { accountId: ofAccount, asked: JSON.stringify(asked) })
    const rowsOf = Map.groupBy(rows, ({ number }) => number)
    return Promise.all(
      calls.map(async ({ accountId, ...request }, number) => {
        const found = rowsOf.get(number) ?? []
        // A feed without events has one row with its end.
        const isEvent = (row: (typeof found)[number]): row is typeof row & EventRow =>
          row.id !== null
        const eventRows = found.filter(isEvent)
        const events = eventRows.map(toStoredEvent)
        const end = Math.max(request.after, found[0]?.until ?? 0)
        const last = events.at(-1)
        if (last === undefined || events.length < Math.min(request.limit, maxTogether))
          return { events, position: end }
        const bytes = eventRows.reduce((sum, row) => sum + sizeOfEvent(row), 0)
        if (events.length === request.limit || bytes >= maxBytes)
          return { events, position: last.position }
        const limit = request.limit - events.length
        const range = { ...request, from: last.position, until: end, limit }
        const left = maxBytes - bytes
        const firstRows = Math.ceil((left * events.length) / bytes)
        const rest = await readRange(accountId, range, { maxBytes: left, firstRows })
        const all = [...events, ...rest.events]
        return { events: all, position: rest.isEnd ? end : (all.at(-1) ?? last).position }
      }),
    )
  }
  const loader = new BatchLoader<PlacedCall, PlacedPage>(readTogether)

  return (accountId, request) => loader.load(db.sharedBy(accountId), { accountId, ...request })
}

/** Reads the feeds of several readers in one query. */
function createSelectMany(db: Db, maxPositions: number, { isOfOne }: { isOfOne: boolean }) {
  const from = sql<number>`greatest(r.after, f.purged_position)`
  const until = sql<number>`least(f.last_position, ${from} + ${sql.lit(maxPositions)})`
  return db.statement<{ accountId: string; asked: string }>()((queries, value) =>
    queries
      .selectFrom(
        db.features
          .recordsOfJsonArray<Asked>(value('asked'), {
            number: 'counter',
            account_id: 'id',
            after: 'counter',
            most: 'counter',
            types: 'text',
          })
          .as('r'),
      )
      .innerJoin('clientele_event_feeds as f', 'f.account_id', 'r.account_id')
      .$if(isOfOne, (query) => query.where('f.account_id', '=', value('accountId')))
      .leftJoinLateral(
        (of) =>
          of
            .selectFrom('clientele_events')
            .select(eventColumns)
            .select(sql<number>`position`.as('position'))
            .$if(isOfOne, (each) => each.where('account_id', '=', value('accountId')))
            .whereRef('clientele_events.account_id', '=', 'r.account_id')
            .where('position', '>', from)
            .where('position', '<=', until)
            .where((event) =>
              event.or([
                event('r.types', 'is', null),
                event('type', 'in', (each) =>
                  each
                    .selectFrom(db.features.textsOfJsonArray(sql.ref<string>('r.types')).as('t'))
                    .select('t.value'),
                ),
              ]),
            )
            .orderBy('position')
            .limit(sql.ref<number>('r.most'))
            .as('e'),
        (join) => join.onTrue(),
      )
      .select(['r.number', until.as('until')])
      .select(eventColumns.map((column) => `e.${column}` as const))
      .select('e.position')
      .orderBy('r.number')
      .orderBy('e.position'),
  )
}

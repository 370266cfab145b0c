import { sql } from 'kysely'
import { BatchLoader } from '../../../sql/batch-loader.ts'
import type { Db } from '../../../sql/db.ts'
import type { SendableEvent, WebhookStore } from '../store.ts'
import { ofAccounts } from './of-accounts.ts'

const hasPerson = sql<boolean | number>`e.person is not null`

interface SendableCall {
  accountId: string
  eventId: string
}

/** A row; no row: the account is disabled or gone */
interface Found {
  eventId: string | null
  hasPerson: boolean | number
}

/**
 * Makes the look-up right before a request: simultaneous calls share a statement. It reads no person, which may be
 * large, and asks no replica.
 */
export function createFindSendable(db: Db): WebhookStore['findSendable'] {
  const selectOne = db.statement<SendableCall>()((queries, value) =>
    queries
      .selectFrom('clientele_accounts as a')
      .leftJoin('clientele_events as e', (join) =>
        join.on('e.account_id', '=', value('accountId')).on('e.id', '=', value('eventId')),
      )
      .select(['e.id as eventId', hasPerson.as('hasPerson')])
      .where('a.id', '=', value('accountId'))
      .where('a.disabled_at', 'is', null),
  )
  const selectMany = {
    ofAny: createSelectMany(db, { isOfOne: false }),
    ofOne: createSelectMany(db, { isOfOne: true }),
  }
  const loader = new BatchLoader<SendableCall, SendableEvent | undefined>(
    async (accountId, calls) => {
      const statement = accountId === '' ? selectMany.ofAny : selectMany.ofOne
      const asked = JSON.stringify(calls.map(toAsked))
      const rows = await db.query(statement, { accountId, asked })
      const found = new Map(rows.map((row) => [row.number, row]))
      return calls.map((_call, number) => toSendable(found.get(number)))
    },
  )

  return async (accountId, eventId) => {
    const call = { accountId, eventId }
    return db.features.isInProcess
      ? toSendable(await db.queryOne(selectOne, call))
      : loader.load(db.sharedBy(accountId), call)
  }
}

/** The same for several messages, in one query */
function createSelectMany(db: Db, accounts: { isOfOne: boolean }) {
  const { features } = db
  const areOf = ofAccounts(features, accounts)
  return db.statement<{ accountId: string; asked: string }>()((queries, value) =>
    queries
      .selectFrom(
        features
          .recordsOfJsonArray<ReturnType<typeof toAsked>>(value('asked'), {
            number: 'counter',
            account_id: 'id',
            event_id: 'id',
          })
          .as('r'),
      )
      .innerJoin('clientele_accounts as a', 'a.id', 'r.account_id')
      .where((of) => areOf(of.ref('a.id'), value, value('asked')))
      .where('a.disabled_at', 'is', null)
      .leftJoinLateral(
        (of) =>
          of
            .selectFrom('clientele_events')
            .select(['id', 'person'])
            .$if(accounts.isOfOne, (each) => each.where('account_id', '=', value('accountId')))
            .whereRef('clientele_events.account_id', '=', 'r.account_id')
            .whereRef('clientele_events.id', '=', 'r.event_id')
            .limit(sql.lit(1))
            .as('e'),
        (join) => join.onTrue(),
      )
      .select(['r.number', 'e.id as eventId', hasPerson.as('hasPerson')]),
  )
}

function toAsked({ accountId, eventId }: SendableCall, number: number) {
  return { number, account_id: accountId, event_id: eventId }
}

function toSendable(found: Found | undefined): SendableEvent | undefined {
  return found && { exists: found.eventId !== null, hasPerson: Boolean(found.hasPerson) }
}

import { sql } from 'kysely'
import { BatchLoader } from '../../../sql/batch-loader.ts'
import type { Db } from '../../../sql/db.ts'
import type { SendableEvent, WebhookStore } from '../store.ts'
import { ofAccounts } from './of-accounts.ts'

const hasPerson = sql<boolean | number>`e.person is not null`

interface SendableCall {
  accountId: string
  eventId: string
  webhookId: string
  url: string
}

/** A row; no row: the account is disabled or gone, or its endpoint is gone or at another URL */
interface Found {
  isActive: boolean | number
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
      .innerJoin('clientele_webhooks as w', (join) =>
        join
          .on('w.account_id', '=', value('accountId'))
          .on('w.id', '=', value('webhookId'))
          .on('w.url', '=', value('url')),
      )
      .select(['w.is_active as isActive', 'e.id as eventId', hasPerson.as('hasPerson')])
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

  return async (accountId, eventId, { id: webhookId, url }) => {
    const call = { accountId, eventId, webhookId, url }
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
            webhook_id: 'id',
            url: 'text',
          })
          .as('r'),
      )
      .innerJoin('clientele_accounts as a', 'a.id', 'r.account_id')
      .where((of) => areOf(of.ref('a.id'), value, value('asked')))
      .where('a.disabled_at', 'is', null)
      .innerJoin('clientele_webhooks as w', (join) =>
        join
          .onRef('w.account_id', '=', 'a.id')
          .onRef('w.id', '=', 'r.webhook_id')
          .onRef('w.url', '=', 'r.url'),
      )
      .$if(accounts.isOfOne, (each) => each.where('w.account_id', '=', value('accountId')))
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
      .select([
        'r.number',
        'w.is_active as isActive',
        'e.id as eventId',
        hasPerson.as('hasPerson'),
      ]),
  )
}

function toAsked({ accountId, eventId, webhookId, url }: SendableCall, number: number) {
  return { number, account_id: accountId, event_id: eventId, webhook_id: webhookId, url }
}

function toSendable(found: Found | undefined): SendableEvent | undefined {
  return (
    found && {
      isActive: Boolean(found.isActive),
      exists: found.eventId !== null,
      hasPerson: Boolean(found.hasPerson),
    }
  )
}

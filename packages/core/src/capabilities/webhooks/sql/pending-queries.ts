import { sql } from 'kysely'
import { BatchLoader } from '../../../sql/batch-loader.ts'
import type { Db } from '../../../sql/db.ts'
import { writeWithEffects } from '../../../sql/write-with-effects.ts'
import { createReplyKeeper } from '../../idempotency/sql/reply-keeper.ts'
import type { PendingDelivery, WebhookStore } from '../store.ts'
import { areOfTimes, timeOrder } from './deliveries-by-time.ts'
import { ofAccounts } from './of-accounts.ts'

/** The pending data of a delivery, with the kinds of the columns */
export const pendingKinds = {
  event_id: 'id',
  position: 'counter',
  payload: 'text',
  attempts: 'counter',
  next_attempt_at: 'time',
} as const
export const pendingColumns = Object.keys(pendingKinds) as (keyof typeof pendingKinds)[] // the object's own keys

/** A row as a `PendingDelivery` */
const deliveryColumns = [
  'd.event_id as eventId',
  'd.position',
  'd.payload',
  'd.attempts',
  'd.next_attempt_at as nextAttemptAt',
] as const

interface PendingCall {
  accountId: string
  webhookId: string
  after: number
  until: number
  limit: number
}

/** The messages of an endpoint that were set aside. */
export function createPendingQueries(db: Db): Pick<WebhookStore, 'addPending' | 'listPending'> {
  return {
    addPending: addPending(db),
    listPending: listPending(db),
  }
}

function addPending(db: Db): WebhookStore['addPending'] {
  const replies = createReplyKeeper(db)
  const insertPending = writeWithEffects<
    { accountId: string; webhookId: string } & PendingDelivery
  >(db)((queries, value) =>
    queries
      .insertInto('clientele_webhook_deliveries')
      .columns(['account_id', 'webhook_id', ...pendingColumns])
      .expression((of) =>
        of
          .selectFrom('clientele_webhooks')
          .select([
            'account_id',
            'id as webhook_id',
            db.typed(value('eventId'), 'id').as('event_id'),
            db.typed(value('position'), 'counter').as('position'),
            db.typed(value('payload'), 'text').as('payload'),
            db.typed(value('attempts'), 'counter').as('attempts'),
            db.typed(value('nextAttemptAt'), 'time').as('next_attempt_at'),
          ])
          .where('account_id', '=', value('accountId'))
          .where('id', '=', value('webhookId')),
      )
      .returning(['account_id', 'event_id']),
  )

  return (accountId, webhookId, delivery, reply) =>
    replies.executeSilently(insertPending, { accountId, webhookId, ...delivery }, reply)
}

function listPending(db: Db): WebhookStore['listPending'] {
  const { features } = db
  const selectPending = db.statement<PendingCall>()((queries, value) => {
    const selectOf = (isActive: boolean) =>
      queries
        .selectFrom('clientele_webhooks as w')
        .innerJoin('clientele_webhook_deliveries as d', (join) =>
          join.on('d.account_id', '=', value('accountId')).onRef('d.webhook_id', '=', 'w.id'),
        )
        .select(deliveryColumns)
        .where('w.account_id', '=', value('accountId'))
        .where('w.id', '=', value('webhookId'))
        .where('w.is_active', '=', isActive)
        .where('d.next_attempt_at', '>', value('after'))
        .where('d.next_attempt_at', '<=', value('until'))
    return (
      selectOf(true)
        // While it is off, it gets tests only, which have an index.
        .unionAll(selectOf(false).where('d.payload', 'is not', null))
        .orderBy('nextAttemptAt')
        .limit(value('limit'))
    )
  })
  const selectMany = {
    ofAny: createSelectMany(db, { isOfOne: false }),
    ofOne: createSelectMany(db, { isOfOne: true }),
  }
  const loader = new BatchLoader<PendingCall, PendingDelivery[]>(async (accountId, calls) => {
    const statement = accountId === '' ? selectMany.ofAny : selectMany.ofOne
    const rows = await db.query(statement, { accountId, asked: JSON.stringify(calls.map(toAsked)) })
    const rowsOf = Map.groupBy(rows, ({ number }) => number)
    return calls.map((_call, number) =>
      (rowsOf.get(number) ?? []).map(({ number: _number, ...delivery }) => delivery),
    )
  })

  return (accountId, webhookId, { after, until }, limit) => {
    const call = { accountId, webhookId, after, until, limit }
    return features.isInProcess
      ? db.query(selectPending, call)
      : loader.load(db.sharedBy(accountId), call)
  }
}

/** The pending messages of several endpoints, in one query */
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
            webhook_id: 'id',
            after_time: 'time',
            until_time: 'time',
            most: 'counter',
          })
          .as('r'),
      )
      .innerJoin('clientele_webhooks as w', (join) =>
        join.onRef('w.account_id', '=', 'r.account_id').onRef('w.id', '=', 'r.webhook_id'),
      )
      .where((of) => areOf(of.ref('w.account_id'), value, value('asked')))
      .innerJoinLateral(
        (of) =>
          of
            .selectFrom('clientele_webhook_deliveries as d')
            .select(deliveryColumns)
            .$if(accounts.isOfOne, (each) => each.where('d.account_id', '=', value('accountId')))
            .whereRef('d.account_id', '=', 'r.account_id')
            .where((each) =>
              areOfTimes(each.ref('r.webhook_id'), {
                after: each.ref('r.after_time'),
                until: each.ref('r.until_time'),
              }),
            )
            .where((each) =>
              each.or([each('w.is_active', '=', true), each('d.payload', 'is not', null)]),
            )
            .orderBy(timeOrder)
            .limit(sql.ref<number>('r.most'))
            .as('p'),
        (join) => join.onTrue(),
      )
      .select('r.number')
      .selectAll('p')
      .orderBy('r.number')
      .orderBy('p.nextAttemptAt'),
  )
}

function toAsked({ accountId, webhookId, after, until, limit }: PendingCall, number: number) {
  const ofEndpoint = { number, account_id: accountId, webhook_id: webhookId }
  return { ...ofEndpoint, after_time: after, until_time: until, most: limit }
}

import { sql } from 'kysely'
import type { Db } from '../../../sql/db.ts'
import { changedBy, type Effect, writeWithEffects } from '../../../sql/write-with-effects.ts'
import { createReplyKeeper } from '../../idempotency/sql/reply-keeper.ts'
import type { PendingDelivery, WebhookStore } from '../store.ts'
import { recordAttempts, toAttemptRows } from './attempt-queries.ts'
import { createFindDue } from './find-due.ts'
import { toRecord } from './webhook-queries.ts'

/** What of a delivery is pending, with the kinds of the columns */
const pendingKinds = {
  event_id: 'id',
  position: 'counter',
  payload: 'text',
  attempts: 'counter',
  next_attempt_at: 'time',
} as const
const pendingColumns = Object.keys(pendingKinds) as (keyof typeof pendingKinds)[] // its own keys

interface SettlementValues {
  accountId: string
  webhookId: string
  holder: string
  until: number
  position: number
  failingSince: number | null
  attemptCount: number
  /** JSON of what follows */
  pending: string
  ended: string
  attempts: string
}

/** What deliverers do, and what they leave behind. */
export function createDeliveryQueries(
  db: Db,
): Pick<WebhookStore, 'addPending' | 'findDue' | 'lease' | 'listPending' | 'settle'> {
  const { features } = db
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
  const takeLease = db.statement<{
    accountId: string
    webhookId: string
    holder: string
    now: number
    until: number
  }>()((queries, value) =>
    queries
      .updateTable('clientele_webhooks')
      .set({ lease_holder: value('holder'), lease_until: value('until') })
      .where('account_id', '=', value('accountId'))
      .where('id', '=', value('webhookId'))
      .where('lease_until', '<=', value('now'))
      .returningAll(),
  )
  const selectPending = db.statement<{
    accountId: string
    webhookId: string
    now: number
    limit: number
  }>()((queries, value) =>
    queries
      .selectFrom('clientele_webhook_deliveries as d')
      .innerJoin('clientele_webhooks as w', (join) =>
        join.onRef('w.account_id', '=', 'd.account_id').onRef('w.id', '=', 'd.webhook_id'),
      )
      .select([
        'd.event_id as eventId',
        'd.position',
        'd.payload',
        'd.attempts',
        'd.next_attempt_at as nextAttemptAt',
      ])
      .where('d.account_id', '=', value('accountId'))
      .where('d.webhook_id', '=', value('webhookId'))
      .where('d.next_attempt_at', '<=', value('now'))
      .where((of) => of.or([of('w.is_active', '=', true), of('d.payload', 'is not', null)]))
      .orderBy('d.next_attempt_at')
      .limit(value('limit')),
  )

  const notePending: Effect<SettlementValues> = (queries, value) =>
    queries
      .insertInto('clientele_webhook_deliveries')
      .columns(['account_id', 'webhook_id', ...pendingColumns])
      .expression((of) =>
        of
          .selectFrom([
            'changed',
            features.recordsOfJsonArray<PendingRow>(value('pending'), pendingKinds).as('r'),
          ])
          .select(['changed.account_id', 'changed.id as webhook_id'])
          .select(pendingColumns.map((column) => `r.${column}` as const))
          // SQLite reads the ON of ON CONFLICT as a join's unless a WHERE stands between.
          .where(sql<boolean>`true`),
      )
      .onConflict((conflict) =>
        conflict.columns(['account_id', 'webhook_id', 'event_id']).doUpdateSet((of) => ({
          attempts: of.ref('excluded.attempts'),
          next_attempt_at: of.ref('excluded.next_attempt_at'),
        })),
      )
  const endPending: Effect<SettlementValues> = (queries, value) =>
    queries
      .deleteFrom('clientele_webhook_deliveries')
      .where('account_id', '=', value('accountId'))
      .where('webhook_id', changedBy(db), (of) => of.selectFrom('changed').select('id'))
      .where('event_id', 'in', (of) =>
        of
          .selectFrom(
            features.recordsOfJsonArray<{ id: string }>(value('ended'), { id: 'id' }).as('r'),
          )
          .select('r.id'),
      )

  const settleWork = writeWithEffects<SettlementValues>(db)(
    (queries, value) =>
      queries
        .updateTable('clientele_webhooks')
        .set({
          position: value('position'),
          failing_since: value('failingSince'),
          attempt_count: value('attemptCount'),
          lease_until: value('until'),
        })
        .where('account_id', '=', value('accountId'))
        .where('id', '=', value('webhookId'))
        .where('lease_holder', '=', value('holder'))
        .returning(['account_id', 'id', 'updated_at']),
    [notePending, endPending, recordAttempts(db)],
  )

  return {
    findDue: createFindDue(db),
    addPending: (accountId, webhookId, delivery, reply) =>
      replies.executeSilently(insertPending, { accountId, webhookId, ...delivery }, reply),
    lease: async (accountId, webhookId, lease) => {
      const row = await db.queryOne(takeLease, { accountId, webhookId, ...lease })
      return (
        row && {
          ...toRecord(row),
          accountId,
          position: row.position,
          failingSince: row.failing_since,
          attemptCount: row.attempt_count,
        }
      )
    },
    listPending: (accountId, webhookId, now, limit) =>
      db.query(selectPending, { accountId, webhookId, now, limit }),
    settle: async (accountId, webhookId, { pending, ended, attempts, ...rest }) => {
      const row = await settleWork.execute({
        accountId,
        webhookId,
        ...rest,
        pending: JSON.stringify(pending.map(toPendingRow)),
        ended: JSON.stringify(ended.map((id) => ({ id }))),
        attempts: JSON.stringify(toAttemptRows(attempts, rest.attemptCount)),
      })
      return row && { updatedAt: row.updated_at }
    },
  }
}

type PendingRow = ReturnType<typeof toPendingRow>

function toPendingRow({ eventId, position, payload, attempts, nextAttemptAt }: PendingDelivery) {
  return {
    event_id: eventId,
    position,
    payload,
    attempts,
    next_attempt_at: nextAttemptAt,
  }
}

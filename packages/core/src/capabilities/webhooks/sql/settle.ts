import { sql } from 'kysely'
import { BatchLoader } from '../../../sql/batch-loader.ts'
import type { Db } from '../../../sql/db.ts'
import type { Effect } from '../../../sql/effects.ts'
import { writeWithEffects } from '../../../sql/write-with-effects.ts'
import type { PendingDelivery, Settlement, WebhookStore } from '../store.ts'
import { recordAttempts, toAttemptRows } from './attempt-queries.ts'
import { ofAccounts } from './of-accounts.ts'
import { pendingColumns, pendingKinds } from './pending-queries.ts'
import {
  isOfChanged,
  type SettledRow,
  type SettlementValues,
  settledAccount,
  settledKinds,
} from './settled-rows.ts'

interface SettleCall extends Settlement {
  accountId: string
  webhookId: string
}

type Settled = { updatedAt: number } | undefined

/** Makes the function that records the progress of endpoints: simultaneous calls share a statement. */
export function createSettle(db: Db): WebhookStore['settle'] {
  const settleOne = createWrite(db, { skipsLocked: false, isOfOne: true })
  const settleMany = {
    ofAny: createWrite(db, { skipsLocked: true, isOfOne: false }),
    ofOne: createWrite(db, { skipsLocked: true, isOfOne: true }),
  }

  async function settleAlone(call: SettleCall): Promise<Settled> {
    const row = await settleOne.execute(toValues(call.accountId, [call]))
    return row && { updatedAt: row.updated_at }
  }
  const loader = new BatchLoader<SettleCall, Settled>(async (ofAccount, calls) => {
    const nameOf = (id: string, holder: string | null) => `${id} ${holder}`
    const write = ofAccount === '' ? settleMany.ofAny : settleMany.ofOne
    const rows = await write.executeAll(toValues(ofAccount, calls))
    const settled = new Map(rows.map((row) => [nameOf(row.id, row.lease_holder), row.updated_at]))
    return calls.map(({ webhookId, holder }) => {
      const updatedAt = settled.get(nameOf(webhookId, holder))
      return updatedAt === undefined ? undefined : { updatedAt }
    })
  })

  return async (accountId, webhookId, settlement) => {
    const call = { accountId, webhookId, ...settlement }
    if (db.features.isInProcess) return settleAlone(call)
    // An endpoint that was not settled has another holder by now, or its row is locked: the others do not wait for it.
    return (await loader.load(db.sharedBy(accountId), call)) ?? settleAlone(call)
  }
}

function createWrite(db: Db, { skipsLocked, isOfOne }: { skipsLocked: boolean; isOfOne: boolean }) {
  const { features } = db
  const areOf = ofAccounts(features, { isOfOne })
  return writeWithEffects<SettlementValues>(db)(
    (queries, value) =>
      queries
        .updateTable('clientele_webhooks')
        .from((of) =>
          of
            .selectFrom('clientele_webhooks as w')
            .innerJoin(
              features
                .recordsOfJsonArray<SettlementRow>(value('settlements'), {
                  ...settledKinds,
                  noted_position: 'counter',
                  noted_failing_since: 'time',
                  noted_attempt_count: 'counter',
                  until_time: 'time',
                })
                .as('r'),
              (join) =>
                join
                  .onRef('w.account_id', '=', 'r.account_id')
                  .onRef('w.id', '=', 'r.webhook_id')
                  .onRef('w.lease_holder', '=', 'r.holder'),
            )
            .select(['w.account_id as noted_account_id', 'w.id as noted_id'])
            .select(['r.noted_position', 'r.noted_failing_since'])
            .select(['r.noted_attempt_count', 'r.until_time'])
            .where((each) => areOf(each.ref('w.account_id'), value, value('settlements')))
            .$if(features.hasConcurrentWriters, (query) => query.forNoKeyUpdate('w'))
            .$if(skipsLocked, (query) => query.skipLocked())
            .as('noted'),
        )
        .set((of) => ({
          position: of.ref('noted.noted_position'),
          failing_since: of.ref('noted.noted_failing_since'),
          attempt_count: of.ref('noted.noted_attempt_count'),
          lease_until: of.ref('noted.until_time'),
        }))
        .$if(isOfOne, (query) =>
          query.where('clientele_webhooks.account_id', '=', value('accountId')),
        )
        .whereRef('clientele_webhooks.account_id', '=', 'noted.noted_account_id')
        .whereRef('clientele_webhooks.id', '=', 'noted.noted_id')
        .returning([
          'clientele_webhooks.account_id',
          'clientele_webhooks.id',
          'clientele_webhooks.lease_holder',
          'clientele_webhooks.updated_at',
        ]),
    [notePending(db, isOfOne), endPending(db, isOfOne), recordAttempts(db, isOfOne)],
    { columns: { account_id: 'id', id: 'id', lease_holder: 'text' } },
  )
}

/** Stores the deliveries that wait for another attempt. */
function notePending(db: Db, isOfOne: boolean): Effect<SettlementValues, SettledRow> {
  const { features } = db
  return (queries, value) =>
    queries
      .insertInto('clientele_webhook_deliveries')
      .columns(['account_id', 'webhook_id', ...pendingColumns])
      .expression((of) =>
        of
          .selectFrom('changed')
          .innerJoin(
            features
              .recordsOfJsonArray<PendingRow>(value('pending'), {
                ...settledKinds,
                ...pendingKinds,
              })
              .as('r'),
            (join) => join.on(isOfChanged),
          )
          .select([settledAccount(db, value, isOfOne), 'changed.id as webhook_id'])
          .select(pendingColumns.map((column) => `r.${column}` as const))
          // Without a WHERE SQLite would parse ON CONFLICT as the ON of a join.
          .where(sql<boolean>`true`),
      )
      .onConflict((conflict) =>
        conflict.columns(['account_id', 'webhook_id', 'event_id']).doUpdateSet((of) => ({
          attempts: of.ref('excluded.attempts'),
          next_attempt_at: of.ref('excluded.next_attempt_at'),
        })),
      )
}

/** Deletes the deliveries that have ended. */
function endPending({ features }: Db, isOfOne: boolean): Effect<SettlementValues, SettledRow> {
  return (queries, value) =>
    queries
      .deleteFrom('clientele_webhook_deliveries')
      .$if(isOfOne, (query) => query.where('account_id', '=', value('accountId')))
      .where(
        ({ refTuple, selectFrom }) =>
          sql<boolean>`${refTuple('account_id', 'webhook_id', 'event_id')} in ${selectFrom(
            'changed',
          )
            .innerJoin(
              features
                .recordsOfJsonArray<EndedRow>(value('ended'), { ...settledKinds, event_id: 'id' })
                .as('r'),
              (join) => join.on(isOfChanged),
            )
            .select(['changed.account_id', 'changed.id', 'r.event_id'])}`,
      )
}

type SettlementRow = ReturnType<typeof toSettlementRow>
type PendingRow = ReturnType<typeof ownerOf> & ReturnType<typeof toPendingRow>
type EndedRow = ReturnType<typeof ownerOf> & { event_id: string }

function toValues(accountId: string, calls: readonly SettleCall[]): SettlementValues {
  const rowsOf = (toRows: (call: SettleCall) => object[]) =>
    JSON.stringify(
      calls.flatMap((call) => toRows(call).map((row) => ({ ...ownerOf(call), ...row }))),
    )
  return {
    accountId,
    settlements: rowsOf((call) => [toSettlementRow(call)]),
    pending: rowsOf(({ pending }) => pending.map(toPendingRow)),
    ended: rowsOf(({ ended }) => ended.map((id) => ({ event_id: id }))),
    attempts: rowsOf(({ attempts, attemptCount }) => toAttemptRows(attempts, attemptCount)),
  }
}

function ownerOf({ accountId, webhookId, holder }: SettleCall) {
  return { account_id: accountId, webhook_id: webhookId, holder }
}

function toSettlementRow(call: SettleCall) {
  return {
    ...ownerOf(call),
    noted_position: call.position,
    noted_failing_since: call.failingSince,
    noted_attempt_count: call.attemptCount,
    until_time: call.until,
  }
}

function toPendingRow({ eventId, position, payload, attempts, nextAttemptAt }: PendingDelivery) {
  return {
    event_id: eventId,
    position,
    payload,
    attempts,
    next_attempt_at: nextAttemptAt,
  }
}

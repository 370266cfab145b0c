import { sql } from 'kysely'
import type { Db } from '../../../sql/db.ts'
import type { Effect } from '../../../sql/effects.ts'
import type { AttemptRecord, WebhookStore } from '../store.ts'
import type { WebhookFailure } from '../webhook.ts'
import {
  isOfChanged,
  type SettledRow,
  type SettlementValues,
  settledAccount,
  settledKinds,
} from './settled-rows.ts'

/** How many attempts of an endpoint are stored. */
const keptAttempts = 100

/** A row without its endpoint, with the kinds of the columns */
const attemptKinds = {
  slot: 'counter',
  id: 'id',
  event_id: 'id',
  type: 'text',
  attempt: 'counter',
  status: 'counter',
  reason: 'text',
  attempted_at: 'time',
  duration_ms: 'counter',
} as const
const attemptColumns = Object.keys(attemptKinds) as (keyof typeof attemptKinds)[] // the object's own keys

export function createListAttempts(db: Db): WebhookStore['listAttempts'] {
  const selectAttempts = db.statement<{ accountId: string; webhookId: string; limit: number }>()(
    (queries, value) =>
      queries
        .selectFrom('clientele_webhook_attempts')
        .select([
          'id',
          'event_id as eventId',
          'type',
          'attempt',
          'status',
          'reason',
          'attempted_at as attemptedAt',
          'duration_ms as durationMs',
        ])
        .where('account_id', '=', value('accountId'))
        .where('webhook_id', '=', value('webhookId'))
        .orderBy('attempted_at', 'desc')
        .orderBy('id', 'desc')
        .limit(value('limit')),
  )
  return async (accountId, webhookId, limit) => {
    const rows = await db.query(selectAttempts, { accountId, webhookId, limit })
    return rows.map((row) => ({ ...row, reason: toFailure(row) }))
  }
}

/** Rows that are older than this column have no reason. */
export function toFailure(row: {
  status: number | null
  reason: string | null
}): WebhookFailure | null {
  if (row.status !== null) return null
  return row.reason === 'error' ? 'error' : 'no_answer'
}

/** Writes the attempts (JSON of `toAttemptRows`, with their endpoints) over the oldest stored ones. */
export function recordAttempts(db: Db, isOfOne: boolean): Effect<SettlementValues, SettledRow> {
  return (queries, value) =>
    queries
      .insertInto('clientele_webhook_attempts')
      .columns(['account_id', 'webhook_id', ...attemptColumns])
      .expression((of) =>
        of
          .selectFrom('changed')
          .innerJoin(
            db.features
              .recordsOfJsonArray<AttemptRow>(value('attempts'), {
                ...settledKinds,
                ...attemptKinds,
              })
              .as('r'),
            (join) => join.on(isOfChanged),
          )
          .select([settledAccount(db, value, isOfOne), 'changed.id as webhook_id'])
          .select(attemptColumns.map((column) => `r.${column}` as const))
          .where(sql<boolean>`true`),
      )
      .onConflict((conflict) =>
        conflict
          .columns(['account_id', 'webhook_id', 'slot'])
          .doUpdateSet((of) =>
            Object.fromEntries(
              attemptColumns
                .filter((column) => column !== 'slot')
                .map((column) => [column, of.ref(`excluded.${column}`)]),
            ),
          ),
      )
}

type AttemptRow = ReturnType<typeof toAttemptRows>[number] & {
  account_id: string
  webhook_id: string
  holder: string
}

/** @param count the total number, including these */
export function toAttemptRows(attempts: readonly AttemptRecord[], count: number) {
  const kept = attempts.slice(-keptAttempts)
  return kept.map((record, index) => ({
    slot: (count - kept.length + index) % keptAttempts,
    id: record.id,
    event_id: record.eventId,
    type: record.type,
    attempt: record.attempt,
    status: record.status,
    reason: record.reason,
    attempted_at: record.attemptedAt,
    duration_ms: record.durationMs,
  }))
}

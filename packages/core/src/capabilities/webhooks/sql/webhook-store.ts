import { sql } from 'kysely'
import type { Db } from '../../../sql/db.ts'
import { repeatInParts } from '../../../sql/repeat-in-parts.ts'
import { run, type Transaction } from '../../../sql/statement.ts'
import { writeWithEffects } from '../../../sql/write-with-effects.ts'
import { type EventValues, eventValues, recordEvent } from '../../events/sql/record-event.ts'
import type { EventStore } from '../../events/store.ts'
import { createReplyKeeper } from '../../idempotency/sql/reply-keeper.ts'
import type { WebhookStore } from '../store.ts'
import type { DisabledReason } from '../webhook.ts'
import { createListAttempts } from './attempt-queries.ts'
import { createCountFailing } from './count-failing.ts'
import { createFindDue } from './find-due.ts'
import { createFindDueSince } from './find-due-since.ts'
import { createFindNews } from './find-news.ts'
import { createFindSendable } from './find-sendable.ts'
import { createLease } from './leases.ts'
import { createPassOver } from './pass-over.ts'
import { createPendingQueries } from './pending-queries.ts'
import { createPlaceNews } from './place-news.ts'
import { createSettle } from './settle.ts'
import { records, toRecord } from './webhook-rows.ts'

/** How many deliveries one statement deletes at most */
const deliveriesAtOnce = 200

type WebhookValues = ReturnType<typeof records.toValues>
interface WebhookKey {
  accountId: string
  id: string
}

export function createWebhookStore(db: Db, events: Pick<EventStore, 'givePlaces'>): WebhookStore {
  return {
    ...createPendingQueries(db),
    ...createFindNews(db),
    findDue: createFindDue(db),
    findDueSince: createFindDueSince(db),
    findSendable: createFindSendable(db),
    countFailing: createCountFailing(db),
    lease: createLease(db),
    listAttempts: createListAttempts(db),
    passOver: createPassOver(db),
    placeNews: createPlaceNews(db, events),
    settle: createSettle(db),
    create: createWebhook(db),
    list: listWebhooks(db),
    find: findWebhook(db),
    update: updateWebhook(db),
    disable: disableWebhook(db),
    delete: deleteWebhook(db),
    replay: replayWebhook(db),
  }
}

function createSelectWebhooks(db: Db) {
  return db.statement<{ accountId: string }>()((queries, value) =>
    queries
      .selectFrom('clientele_webhooks')
      .selectAll()
      .where('account_id', '=', value('accountId'))
      .orderBy('id'),
  )
}

function createWebhook(db: Db): WebhookStore['create'] {
  const lockAccount = db.statement<{ accountId: string }>()((queries, value) =>
    queries
      .selectFrom('clientele_accounts')
      .select('id')
      .where('id', '=', value('accountId'))
      .$if(db.features.hasConcurrentWriters, (locked) => locked.forNoKeyUpdate()),
  )
  const insertWebhook = writeWithEffects<WebhookValues & { position: number } & EventValues>(db)(
    (queries, value) =>
      queries
        .insertInto('clientele_webhooks')
        .values({
          account_id: value('accountId'),
          position: value('position'),
          attempt_count: 0,
          lease_until: 0,
          ...records.assign(value),
        })
        .returning(['account_id', 'id']),
    [recordEvent(db)],
  )
  const selectWebhooks = createSelectWebhooks(db)

  return (accountId, webhook, { maximum, position }, event) =>
    db.transact(function* (): Transaction<
      'created' | 'webhook_limit_reached' | 'account_not_found'
    > {
      // Locks the account, so that concurrent calls count each other's endpoints.
      if ((yield* run(lockAccount, { accountId })).length === 0) return 'account_not_found'
      const webhooks = yield* run(selectWebhooks, { accountId })
      if (webhooks.length >= maximum) return 'webhook_limit_reached'
      yield* insertWebhook.run({
        ...records.toValues(webhook),
        position,
        ...eventValues(event),
        accountId,
      })
      return 'created'
    })
}

function listWebhooks(db: Db): WebhookStore['list'] {
  const selectWebhooks = createSelectWebhooks(db)

  return async (accountId) => (await db.query(selectWebhooks, { accountId })).map(toRecord)
}

function findWebhook(db: Db): WebhookStore['find'] {
  const selectWebhook = db.statement<WebhookKey>()((queries, value) =>
    queries
      .selectFrom('clientele_webhooks')
      .selectAll()
      .where('account_id', '=', value('accountId'))
      .where('id', '=', value('id')),
  )

  return async (accountId, id) => {
    const row = await db.queryOne(selectWebhook, { accountId, id })
    return row && toRecord(row)
  }
}

function updateWebhook(db: Db): WebhookStore['update'] {
  const createUpdate = ({ movesPosition }: { movesPosition: boolean }) =>
    writeWithEffects<WebhookValues & { unchangedSince: number; position: number } & EventValues>(
      db,
    )(
      (queries, value) =>
        queries
          .updateTable('clientele_webhooks')
          .set(records.assign(value, ['id', 'created_at']))
          // The present holder loses the lease: by the types from before it would pass over events that are wanted now.
          .set({ lease_holder: null, lease_until: 0 })
          .$if(movesPosition, (update) =>
            update.set({ position: value('position'), failing_since: null }),
          )
          .where('account_id', '=', value('accountId'))
          .where('id', '=', value('id'))
          .where('updated_at', '=', value('unchangedSince'))
          .returning(['account_id', 'id']),
      [recordEvent(db)],
    )
  const update = createUpdate({ movesPosition: false })
  const restart = createUpdate({ movesPosition: true })

  return async (accountId, webhook, { unchangedSince, position }, event) => {
    const write = position === undefined ? update : restart
    const values = { ...records.toValues(webhook), unchangedSince, position: position ?? 0 }
    return (await write.execute({ ...values, ...eventValues(event), accountId })) !== undefined
  }
}

function disableWebhook(db: Db): WebhookStore['disable'] {
  const disable = writeWithEffects<
    WebhookKey & { reason: DisabledReason; at: number; unchangedSince: number } & EventValues
  >(db)(
    (queries, value) =>
      queries
        .updateTable('clientele_webhooks')
        .set({
          is_active: false,
          disabled_reason: value('reason'),
          updated_at: value('at'),
          failing_since: null,
        })
        .where('account_id', '=', value('accountId'))
        .where('id', '=', value('id'))
        .where('is_active', '=', true)
        // The recorded answer may be from a previous URL of the endpoint.
        .where('updated_at', '=', value('unchangedSince'))
        .returning(['account_id', 'id']),
    [recordEvent(db)],
  )

  return async (accountId, id, change, event) =>
    (await disable.execute({ id, ...change, ...eventValues(event), accountId })) !== undefined
}

function deleteWebhook(db: Db): WebhookStore['delete'] {
  const deleteSurplus = createDeleteSurplus(db)
  const remove = writeWithEffects<WebhookKey & EventValues>(db)(
    (queries, value) =>
      queries
        .deleteFrom('clientele_webhooks')
        .where('account_id', '=', value('accountId'))
        .where('id', '=', value('id'))
        .returning(['account_id', 'id']),
    [recordEvent(db)],
  )

  return async (accountId, id, event) => {
    await repeatInParts(db, deliveriesAtOnce, () => deleteSurplus(accountId, id))
    return (await remove.execute({ id, ...eventValues(event), accountId })) !== undefined
  }
}

/**
 * Makes the function that deletes some of an endpoint's deliveries, while it has more than are deleted with it. An
 * endpoint that does not answer has one for each event of some days.
 */
function createDeleteSurplus(db: Db) {
  const deleteSurplus = db.statement<WebhookKey>()((queries, value) =>
    queries
      .deleteFrom('clientele_webhook_deliveries')
      .where('account_id', '=', value('accountId'))
      .where('webhook_id', '=', value('id'))
      .where((of) =>
        db.features.isAmong(
          of.ref('event_id'),
          of
            .selectFrom('clientele_webhook_deliveries')
            .select('event_id')
            .where('account_id', '=', value('accountId'))
            .where('webhook_id', '=', value('id'))
            .orderBy('event_id')
            .limit(sql.lit(deliveriesAtOnce))
            .offset(sql.lit(deliveriesAtOnce)),
        ),
      )
      .returning('event_id'),
  )

  return async (accountId: string, id: string): Promise<number> =>
    (await db.query(deleteSurplus, { accountId, id })).length
}

function replayWebhook(db: Db): WebhookStore['replay'] {
  const replies = createReplyKeeper(db)
  const moveBack = writeWithEffects<WebhookKey & { position: number } & EventValues>(db)(
    (queries, value) =>
      queries
        .updateTable('clientele_webhooks')
        .set((of) => ({
          position: of
            .case()
            .when('position', '<', value('position'))
            .then(of.ref('position'))
            .else(value('position'))
            .end(),
          lease_holder: null,
          lease_until: 0,
        }))
        .where('account_id', '=', value('accountId'))
        .where('id', '=', value('id'))
        .where('is_active', '=', true)
        .returning(['account_id', 'id']),
    [recordEvent(db)],
  )

  return (accountId, id, position, event, reply) => {
    const input = { ...eventValues(event), accountId, id, position }
    return replies.executeSilently(moveBack, input, reply)
  }
}

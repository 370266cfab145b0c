import { sql } from 'kysely'
import type { Db } from '../../../sql/db.ts'
import type { EventStore } from '../../events/store.ts'
import type { WebhookStore } from '../store.ts'

/** So many endpoints are moved on by one statement at most. */
const passedAtOnce = 1_000

interface PassValues {
  now: number
  /** JSON */
  accountIds: string
}

/**
 * Makes what moves endpoints on past events that they do not want: of ten endpoints that want an event each, one is
 * leased then, and the other nine take part of one statement.
 */
export function createPassOver(
  db: Db,
  events: Pick<EventStore, 'givePlaces'>,
): WebhookStore['passOver'] {
  const { features } = db
  const createSelectNews = (isOfSome: boolean) =>
    db.statement<{ accountIds: string }>()((queries, value) =>
      queries
        .selectFrom('clientele_webhooks as w')
        .select('w.account_id as accountId')
        .distinct()
        .$if(isOfSome, (query) =>
          query.where('w.account_id', 'in', (of) =>
            of
              .selectFrom(
                features
                  .recordsOfJsonArray<{ id: string }>(value('accountIds'), { id: 'id' })
                  .as('a'),
              )
              .select('a.id'),
          ),
        )
        .where('w.is_active', '=', true)
        .where((of) =>
          of.exists(
            of
              .selectFrom('clientele_events as e')
              .select('e.id')
              .whereRef('e.account_id', '=', 'w.account_id')
              .where('e.position', 'is', null),
          ),
        ),
    )
  const createMoveOn = (isOfSome: boolean) =>
    db.statement<PassValues>()((queries, value) =>
      queries
        .updateTable('clientele_webhooks')
        .from((of) =>
          of
            .selectFrom('clientele_webhooks as w')
            .select(['w.account_id as passed_account_id', 'w.id as passed_id'])
            .select((each) =>
              each
                .selectFrom('clientele_event_feeds as f')
                .select('f.last_position')
                .whereRef('f.account_id', '=', 'w.account_id')
                .as('last_position'),
            )
            .$if(isOfSome, (query) =>
              query.where('w.account_id', 'in', (each) =>
                each
                  .selectFrom(
                    features
                      .recordsOfJsonArray<{ id: string }>(value('accountIds'), { id: 'id' })
                      .as('a'),
                  )
                  .select('a.id'),
              ),
            )
            .where('w.is_active', '=', true)
            .where('w.lease_until', '<=', value('now'))
            .where((each) =>
              each.exists(
                each
                  .selectFrom('clientele_event_feeds as f')
                  .select('f.account_id')
                  .whereRef('f.account_id', '=', 'w.account_id')
                  .whereRef('f.last_position', '>', 'w.position'),
              ),
            )
            .where((each) =>
              each.not(
                each.exists(
                  each
                    .selectFrom('clientele_events as e')
                    .select('e.id')
                    .whereRef('e.account_id', '=', 'w.account_id')
                    .whereRef('e.position', '>', 'w.position')
                    .where((event) =>
                      event.exists(
                        event
                          .selectFrom(features.textsOfJsonArray(sql.ref('w.types')).as('t'))
                          .select('t.value')
                          .where(isTypeOf),
                      ),
                    ),
                ),
              ),
            )
            .limit(sql.lit(passedAtOnce))
            // Whoever has one of them at this moment moves it on.
            .$if(features.hasConcurrentWriters, (locked) => locked.forUpdate().skipLocked())
            .as('passed'),
        )
        .set((of) => ({ position: of.ref('passed.last_position').$notNull() }))
        .whereRef('clientele_webhooks.account_id', '=', 'passed.passed_account_id')
        .whereRef('clientele_webhooks.id', '=', 'passed.passed_id'),
    )
  const selectNews = { ofAll: createSelectNews(false), ofSome: createSelectNews(true) }
  const moveOn = { ofAll: createMoveOn(false), ofSome: createMoveOn(true) }

  return async (now, accountIds) => {
    const texts = JSON.stringify((accountIds ?? []).map((id) => ({ id })))
    const which = accountIds === undefined ? 'ofAll' : 'ofSome'
    const news = await db.query(selectNews[which], { accountIds: texts })
    // What fails here is one account's fault: the endpoints of the others are moved on.
    const placed = await events.givePlaces(news.map((each) => each.accountId)).then(
      () => undefined,
      (reason: unknown) => ({ reason }),
    )
    await db.query(moveOn[which], { now, accountIds: texts })
    if (placed !== undefined) throw placed.reason
  }
}

/** Whether a pattern stands for the type of an event: `user.created`, `user.*` or `*`. See `listTypes`. */
const isTypeOf = sql<boolean>`(t.value = e.type or (substr(t.value, length(t.value)) = '*'
  and substr(e.type, 1, length(t.value) - 1) = substr(t.value, 1, length(t.value) - 1)))`

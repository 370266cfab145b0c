import type { Db } from '../../../sql/db.ts'
import { idsInJson, toIdsJson } from '../../../sql/ids-in-json.ts'
import { hasPendingEvents } from '../../events/sql/has-pending-events.ts'
import type { EventStore } from '../../events/store.ts'
import type { WebhookStore } from '../store.ts'

/** Makes the function that assigns positions to new events, in the feeds of accounts with endpoints. */
export function createPlaceNews(
  db: Db,
  events: Pick<EventStore, 'givePlaces'>,
): WebhookStore['placeNews'] {
  const { features } = db
  const createSelectNews = (isOfSome: boolean) =>
    db.statement<{ accountIds: string }>()((queries, value) =>
      queries
        // Each account once, and not for each endpoint: the look may have to pass what a dump keeps in the index.
        .selectFrom((of) =>
          of
            .selectFrom('clientele_webhooks')
            .select('account_id')
            .distinct()
            .$if(isOfSome, (query) =>
              query.where('account_id', 'in', idsInJson(features, value('accountIds'))),
            )
            .where('is_active', '=', true)
            .as('w'),
        )
        .select('w.account_id as accountId')
        .where((of) => hasPendingEvents(of.ref('w.account_id'))),
    )
  const selectNews = { ofAll: createSelectNews(false), ofSome: createSelectNews(true) }

  return async (accountIds) => {
    const statement = accountIds === undefined ? selectNews.ofAll : selectNews.ofSome
    const ids = toIdsJson(accountIds ?? [])
    const news = await db.query(statement, { accountIds: ids })
    await events.givePlaces(news.map(({ accountId }) => accountId))
  }
}

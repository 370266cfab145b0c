import { BatchLoader } from '../../../sql/batch-loader.ts'
import type { Db } from '../../../sql/db.ts'
import type { Lease, LeasedWebhook, WebhookStore } from '../store.ts'
import { dueTimesOf } from './due-times.ts'
import { ofAccounts } from './of-accounts.ts'
import { toRecord } from './webhook-rows.ts'

interface LeaseCall extends Lease {
  accountId: string
  webhookId: string
}

/** Makes the function that leases endpoints: simultaneous calls share a statement. */
export function createLease(db: Db): WebhookStore['lease'] {
  const takeLeases = {
    ofAny: createTakeLeases(db, { isOfOne: false }),
    ofOne: createTakeLeases(db, { isOfOne: true }),
  }

  /** @param ofAccount the account of all calls; '' if the calls are of several */
  async function takeAll(
    ofAccount: string,
    calls: readonly LeaseCall[],
  ): Promise<(LeasedWebhook | undefined)[]> {
    const statement = ofAccount === '' ? takeLeases.ofAny : takeLeases.ofOne
    const wanted = JSON.stringify(calls.map(toWanted))
    const rows = await db.query(statement, { accountId: ofAccount, wanted })
    const leased = new Map(
      rows.map((row) => [
        row.id,
        {
          ...toRecord(row),
          accountId: row.account_id,
          position: row.position,
          failingSince: row.failing_since,
          attemptCount: row.attempt_count,
          holder: row.lease_holder,
        },
      ]),
    )
    return calls.map(({ accountId, webhookId, holder }) => {
      const webhook = leased.get(webhookId)
      return webhook?.accountId === accountId && webhook.holder === holder ? webhook : undefined
    })
  }
  const loader = new BatchLoader<LeaseCall, LeasedWebhook | undefined>(takeAll)

  return async (accountId, webhookId, lease) => {
    const call = { accountId, webhookId, ...lease }
    if (db.features.isInProcess) return (await takeAll(accountId, [call]))[0]
    return loader.load(db.sharedBy(accountId), call)
  }
}

function createTakeLeases(db: Db, accounts: { isOfOne: boolean }) {
  const { features } = db
  const areOf = ofAccounts(features, accounts)
  return db.statement<{ accountId: string; wanted: string }>()((queries, value) =>
    queries
      .updateTable('clientele_webhooks')
      .from((of) =>
        of
          .selectFrom('clientele_webhooks as w')
          .innerJoin(
            features
              .recordsOfJsonArray<ReturnType<typeof toWanted>>(value('wanted'), {
                account_id: 'id',
                webhook_id: 'id',
                holder: 'text',
                from_time: 'time',
                until_time: 'time',
                latest_time: 'time',
              })
              .as('r'),
            (join) =>
              join.onRef('w.account_id', '=', 'r.account_id').onRef('w.id', '=', 'r.webhook_id'),
          )
          .select(['w.account_id as leased_account_id', 'w.id as leased_id'])
          .select(['r.holder', 'r.until_time'])
          .where((each) => areOf(each.ref('w.account_id'), value, value('wanted')))
          .where((each) =>
            each.or([
              each('w.lease_until', '<=', each.ref('r.from_time')),
              each('w.lease_until', '>', each.ref('r.latest_time')),
            ]),
          )
          // Skips rows that another process is leasing or moving.
          .$if(features.hasConcurrentWriters, (locked) => locked.forNoKeyUpdate('w').skipLocked())
          .as('leased'),
      )
      .set((of) => ({
        lease_holder: of.ref('leased.holder'),
        lease_until: of.ref('leased.until_time'),
      }))
      .where((each) => areOf(each.ref('clientele_webhooks.account_id'), value, value('wanted')))
      .whereRef('clientele_webhooks.account_id', '=', 'leased.leased_account_id')
      .whereRef('clientele_webhooks.id', '=', 'leased.leased_id')
      // Also returns the joined columns: SQLite has no `table.*` here.
      .returningAll(),
  )
}

function toWanted({ accountId, webhookId, holder, now, until }: LeaseCall) {
  return {
    account_id: accountId,
    webhook_id: webhookId,
    holder,
    from_time: now,
    until_time: until,
    latest_time: dueTimesOf(now).latestLease,
  }
}

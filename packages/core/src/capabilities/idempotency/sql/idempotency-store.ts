import { latestEnd } from '../../../base/runtime/latest-end.ts'
import type { Db } from '../../../sql/db.ts'
import { keptMs } from '../kept-ms.ts'
import type { IdempotencyStore } from '../store.ts'
import { createReplyKeeper } from './reply-keeper.ts'

export function createIdempotencyStore(db: Db): IdempotencyStore {
  const selectReply = db.statement<{
    accountId: string
    operation: string
    key: string
    now: number
    latest: number
  }>()((queries, value) =>
    queries
      .selectFrom('clientele_replies')
      .select(['digest', 'answer'])
      .where('account_id', '=', value('accountId'))
      .where('operation', '=', value('operation'))
      .where('key', '=', value('key'))
      .where('expires_at', '>', value('now'))
      .where('expires_at', '<=', value('latest')),
  )
  const replies = createReplyKeeper(db)
  return {
    find: (accountId, operation, key, now) =>
      db.queryOne(selectReply, { accountId, operation, key, now, latest: latestEnd(now, keptMs) }),
    keep: (accountId, reply, answer) =>
      replies.transact(() => replies.keep(accountId, reply, answer)),
  }
}

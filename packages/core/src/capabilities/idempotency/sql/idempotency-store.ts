import type { Db } from '../../../sql/db.ts'
import type { IdempotencyStore } from '../store.ts'
import { createReplyKeeper } from './reply-keeper.ts'

export function createIdempotencyStore(db: Db): IdempotencyStore {
  const selectReply = db.statement<{
    accountId: string
    operation: string
    key: string
    now: number
  }>()((queries, value) =>
    queries
      .selectFrom('clientele_replies')
      .select(['digest', 'answer'])
      .where('account_id', '=', value('accountId'))
      .where('operation', '=', value('operation'))
      .where('key', '=', value('key'))
      .where('expires_at', '>', value('now')),
  )
  const replies = createReplyKeeper(db)
  return {
    find: (accountId, operation, key, now) =>
      db.queryOne(selectReply, { accountId, operation, key, now }),
    keep: (accountId, reply, answer) =>
      replies.transact(() => replies.keep(accountId, reply, answer)),
  }
}

import { latestEnd } from '../../../base/runtime/latest-end.ts'
import type { Db } from '../../../sql/db.ts'
import { run, type Transaction } from '../../../sql/statement.ts'
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
  // An erasure waits for the answer, and deletes it; or it comes first.
  const holdUser = db.statement<{ accountId: string; userId: string }>()((queries, value) =>
    queries
      .selectFrom('clientele_users')
      .select('id')
      .where('account_id', '=', value('accountId'))
      .where('id', '=', value('userId'))
      .$if(db.features.hasConcurrentWriters, (locked) => locked.forKeyShare()),
  )
  const replies = createReplyKeeper(db)
  return {
    find: (accountId, operation, key, now) =>
      db.queryOne(selectReply, { accountId, operation, key, now, latest: latestEnd(now, keptMs) }),
    keepAbout: (accountId, userId, reply, answer) =>
      replies.transact(function* (): Transaction<boolean> {
        const [user] = yield* run(holdUser, { accountId, userId })
        if (user === undefined) return false
        yield* replies.keep(accountId, reply, { userId, answer })
        return true
      }),
  }
}

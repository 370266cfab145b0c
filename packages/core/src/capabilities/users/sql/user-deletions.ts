import { type Db, run, type Transaction } from '../../../sql/db.ts'
import type { UserCounts } from '../counts/sql/user-counts.ts'
import type { UserStore } from '../store.ts'

export function createUserDeletions(db: Db, counts: UserCounts): Pick<UserStore, 'deleteFirst'> {
  const deleteUsers = db.statement<{ accountId: string; limit: number }>()((queries, value) =>
    queries
      .deleteFrom('clientele_users')
      .where('account_id', '=', value('accountId'))
      .where('id', 'in', (of) =>
        of
          .selectFrom('clientele_users as u')
          .select('u.id')
          .where('u.account_id', '=', value('accountId'))
          .orderBy('u.id')
          .limit(value('limit')),
      )
      .returning('id'),
  )

  return {
    deleteFirst: (accountId, limit) =>
      db.transact(
        function* (): Transaction<number> {
          const rows = yield* run(deleteUsers, { accountId, limit })
          const ids = rows.map((row) => row.id)
          yield* counts.add(accountId, ids, -1)
          return ids.length
        },
        { snapshot: true },
      ),
  }
}

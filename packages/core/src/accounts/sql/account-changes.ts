import type { AccountRepository } from '../../repository.ts'
import { type Db, run, type Transaction } from '../../sql/db.ts'
import type { UserCounts } from '../../users/counts/sql/user-counts.ts'

/** What belongs to an account and does not go with its row by itself. */
const looseTables = [
  'clientele_user_count_deltas',
  'clientele_user_count_ranges',
  'clientele_user_counts',
  'clientele_rate_limits',
] as const

export function createAccountChanges(
  db: Db,
  counts: UserCounts,
): Pick<
  AccountRepository,
  'renameAccount' | 'setAccountDisabled' | 'deleteFirstUsers' | 'deleteAccount'
> {
  const rename = db.statement<{ accountId: string; name: string }>()((queries, value) =>
    queries
      .updateTable('clientele_accounts')
      .set({ name: value('name') })
      .where('id', '=', value('accountId'))
      .returning('id'),
  )
  const disable = db.statement<{ accountId: string; at: number }>()((queries, value) =>
    queries
      .updateTable('clientele_accounts')
      .set({ disabled_at: value('at') })
      .where('id', '=', value('accountId'))
      .where('disabled_at', 'is', null)
      .returning('id'),
  )
  const enable = db.statement<{ accountId: string }>()((queries, value) =>
    queries
      .updateTable('clientele_accounts')
      .set({ disabled_at: null })
      .where('id', '=', value('accountId'))
      .where('disabled_at', 'is not', null)
      .returning('id'),
  )
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
  const deleteRow = db.statement<{ accountId: string }>()((queries, value) =>
    queries.deleteFrom('clientele_accounts').where('id', '=', value('accountId')).returning('id'),
  )
  const deleteLoose = looseTables.map((table) =>
    db.statement<{ accountId: string }>()((queries, value) =>
      queries.deleteFrom(table).where('account_id', '=', value('accountId')),
    ),
  )

  return {
    renameAccount: async (accountId, name) =>
      (await db.queryOne(rename, { accountId, name })) !== undefined,
    setAccountDisabled: async (accountId, at) => {
      const row =
        at === null
          ? await db.queryOne(enable, { accountId })
          : await db.queryOne(disable, { accountId, at })
      return row !== undefined
    },
    deleteFirstUsers: (accountId, limit) =>
      db.transact(
        function* (): Transaction<number> {
          const rows = yield* run(deleteUsers, { accountId, limit })
          const ids = rows.map((row) => row.id)
          yield* counts.add(accountId, ids, -1)
          return ids.length
        },
        { snapshot: true },
      ),
    deleteAccount: (accountId) =>
      db.transact(function* (): Transaction<boolean> {
        const rows = yield* run(deleteRow, { accountId })
        for (const statement of deleteLoose) yield* run(statement, { accountId })
        return rows.length > 0
      }),
  }
}

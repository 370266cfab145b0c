import { createInsertApiKey } from '../api-keys/sql/insert-api-key.ts'
import { type Db, run, type Transaction } from '../sql/db.ts'
import { toAccount } from '../sql/rows.ts'
import type { AccountStore } from './store.ts'

/** What belongs to an account and does not go with its row by itself. */
const looseTables = [
  'clientele_user_count_deltas',
  'clientele_user_count_ranges',
  'clientele_user_counts',
  'clientele_rate_limits',
] as const

export function createAccountStore(db: Db): AccountStore {
  const insertAccount = db.statement<{
    id: string
    name: string
    allowedRoles: string | null
    createdAt: number
  }>()((queries, value) =>
    queries.insertInto('clientele_accounts').values({
      id: value('id'),
      name: value('name'),
      allowed_roles: value('allowedRoles'),
      created_at: value('createdAt'),
    }),
  )
  const selectAccount = db.statement<{ accountId: string }>()((queries, value) =>
    queries.selectFrom('clientele_accounts').selectAll().where('id', '=', value('accountId')),
  )
  const selectAccounts = db.statement<object>()((queries) =>
    queries.selectFrom('clientele_accounts').selectAll().orderBy('id'),
  )
  const selectAnyAccount = db.statement<object>()((queries) =>
    queries.selectFrom('clientele_accounts').select('id').limit(1),
  )
  const insertKey = createInsertApiKey(db)
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
  const deleteRow = db.statement<{ accountId: string }>()((queries, value) =>
    queries.deleteFrom('clientele_accounts').where('id', '=', value('accountId')).returning('id'),
  )
  const deleteLoose = looseTables.map((table) =>
    db.statement<{ accountId: string }>()((queries, value) =>
      queries.deleteFrom(table).where('account_id', '=', value('accountId')),
    ),
  )

  return {
    create: async (accountId, { name, allowedRoles }, createdAt) => {
      await db.query(insertAccount, {
        id: accountId,
        name,
        allowedRoles: toRolesText(allowedRoles),
        createdAt,
      })
    },
    bootstrap: (accountId, { name, allowedRoles }, createdAt, key) =>
      db.transact(function* (): Transaction<boolean> {
        // Read after the lock is held: another process may have made the account meanwhile.
        for (const step of db.driver.migrationLock()) yield step
        if ((yield* run(selectAnyAccount, {})).length > 0) return false
        const roles = toRolesText(allowedRoles)
        yield* run(insertAccount, { id: accountId, name, allowedRoles: roles, createdAt })
        yield* run(insertKey, { accountId, ...key, scopes: JSON.stringify(key.scopes) })
        return true
      }),
    find: async (accountId) => {
      const row = await db.queryOne(selectAccount, { accountId })
      return row && toAccount(row)
    },
    list: async () => {
      const rows = await db.query(selectAccounts, {})
      return rows.map(toAccount)
    },
    rename: async (accountId, name) =>
      (await db.queryOne(rename, { accountId, name })) !== undefined,
    setDisabled: async (accountId, at) => {
      const row =
        at === null
          ? await db.queryOne(enable, { accountId })
          : await db.queryOne(disable, { accountId, at })
      return row !== undefined
    },
    delete: (accountId) =>
      db.transact(function* (): Transaction<boolean> {
        const rows = yield* run(deleteRow, { accountId })
        for (const statement of deleteLoose) yield* run(statement, { accountId })
        return rows.length > 0
      }),
  }
}

function toRolesText(roles: string[] | null): string | null {
  return roles === null ? null : JSON.stringify(roles)
}

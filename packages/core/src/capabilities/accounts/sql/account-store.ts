import type { Database } from '../../../sql/database.ts'
import { type Db, run, type Transaction } from '../../../sql/db.ts'
import { toAccount } from '../../../sql/rows.ts'
import { type Effect, writeWithEffects } from '../../../sql/write-with-effects.ts'
import { createInsertApiKey } from '../../api-keys/sql/insert-api-key.ts'
import type { NewEvent } from '../../events/new-event.ts'
import { createAppendEvent, eventValues } from '../../events/sql/record-event.ts'
import type { Account } from '../account.ts'
import type { AccountStore } from '../store.ts'

/** What belongs to an account and does not go with its row by itself. */
const looseTables = [
  'clientele_user_count_deltas',
  'clientele_user_count_ranges',
  'clientele_user_count_groups',
  'clientele_user_counts',
  'clientele_rate_limits',
  'clientele_events',
  'clientele_event_feeds',
] as const

export function createAccountStore(db: Db): AccountStore {
  const insertAccount = writeWithEffects<{
    id: string
    name: string
    allowedRoles: string | null
    createdAt: number
  }>(db)((queries, value) =>
    queries
      .insertInto('clientele_accounts')
      .values({
        id: value('id'),
        name: value('name'),
        allowed_roles: value('allowedRoles'),
        created_at: value('createdAt'),
      })
      .returning('id'),
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
  const rename = writeWithEffects<{ accountId: string; name: string }>(db)((queries, value) =>
    queries
      .updateTable('clientele_accounts')
      .set({ name: value('name') })
      .where('id', '=', value('accountId'))
      .returningAll(),
  )
  const disable = writeWithEffects<{ accountId: string; at: number }>(db)((queries, value) =>
    queries
      .updateTable('clientele_accounts')
      .set({ disabled_at: value('at') })
      .where('id', '=', value('accountId'))
      .where('disabled_at', 'is', null)
      .returningAll(),
  )
  const enable = writeWithEffects<{ accountId: string }>(db)((queries, value) =>
    queries
      .updateTable('clientele_accounts')
      .set({ disabled_at: null })
      .where('id', '=', value('accountId'))
      .where('disabled_at', 'is not', null)
      .returningAll(),
  )
  const deleteLoose = looseTables.map(
    (table): Effect<{ accountId: string }, { id: string }> =>
      (queries, value) =>
        queries.deleteFrom(table).where('account_id', '=', value('accountId')),
  )
  const deleteAccount = writeWithEffects<{ accountId: string }>(db)(
    (queries, value) =>
      queries.deleteFrom('clientele_accounts').where('id', '=', value('accountId')).returning('id'),
    deleteLoose,
    { columns: { id: 'id' }, seesLatest: true },
  )

  const appendEvent = createAppendEvent(db)

  /** Writes the event of a change of an account, if it changed anything. */
  function* told(
    change: Transaction<Database['clientele_accounts'][]>,
    eventOf: (account: Account) => NewEvent,
  ): Transaction<NewEvent | undefined> {
    const [row] = yield* change
    if (row === undefined) return undefined
    const event = eventOf(toAccount(row))
    yield* run(appendEvent, { accountId: row.id, ...eventValues(event) })
    return event
  }

  return {
    create: async (accountId, { name, allowedRoles }, createdAt) => {
      await insertAccount.execute({
        id: accountId,
        name,
        allowedRoles: toRolesText(allowedRoles),
        createdAt,
      })
    },
    bootstrap: (accountId, { name, allowedRoles }, createdAt, key, event) =>
      db.transact(function* (): Transaction<boolean> {
        // Read after the lock is held: another process may have made the account meanwhile.
        for (const step of db.driver.migrationLock()) yield step
        if ((yield* run(selectAnyAccount, {})).length > 0) return false
        const roles = toRolesText(allowedRoles)
        yield* insertAccount.run({ id: accountId, name, allowedRoles: roles, createdAt })
        const scopes = JSON.stringify(key.scopes)
        yield* insertKey.run({ ...eventValues(event), accountId, ...key, scopes })
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
    rename: (accountId, name, eventOf) =>
      db.transact(() => told(rename.run({ accountId, name }), eventOf)),
    setDisabled: (accountId, at, eventOf) =>
      db.transact(() =>
        told(at === null ? enable.run({ accountId }) : disable.run({ accountId, at }), eventOf),
      ),
    delete: async (accountId) => (await deleteAccount.execute({ accountId })) !== undefined,
  }
}

function toRolesText(roles: string[] | null): string | null {
  return roles === null ? null : JSON.stringify(roles)
}

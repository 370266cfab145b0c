import { type Db, run, type Transaction } from '../../../sql/db.ts'
import type { Database } from '../../../sql/tables/tables.ts'
import { type Effect, writeWithEffects } from '../../../sql/write-with-effects.ts'
import type { NewEvent } from '../../events/new-event.ts'
import { createAppendEvent, eventValues } from '../../events/sql/record-event.ts'
import type { Account } from '../account.ts'
import type { AccountStore } from '../store.ts'
import { toAccount } from './account-rows.ts'
import { createInsertAccount, toRolesText } from './insert-account.ts'

/** An account's rows that a foreign key does not delete. */
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
  return {
    create: createAccount(db),
    find: findAccount(db),
    list: listAccounts(db),
    rename: renameAccount(db),
    setDisabled: setDisabled(db),
    delete: deleteAccount(db),
  }
}

function createAccount(db: Db): AccountStore['create'] {
  const insertAccount = createInsertAccount(db)

  return async (accountId, { name, allowedRoles }, createdAt) => {
    await insertAccount.execute({
      id: accountId,
      name,
      allowedRoles: toRolesText(allowedRoles),
      createdAt,
    })
  }
}

function findAccount(db: Db): AccountStore['find'] {
  const selectAccount = db.statement<{ accountId: string }>()((queries, value) =>
    queries.selectFrom('clientele_accounts').selectAll().where('id', '=', value('accountId')),
  )

  return async (accountId) => {
    const row = await db.queryOne(selectAccount, { accountId })
    return row && toAccount(row)
  }
}

function listAccounts(db: Db): AccountStore['list'] {
  const selectAccounts = db.statement<object>()((queries) =>
    queries.selectFrom('clientele_accounts').selectAll().orderBy('id'),
  )

  return async () => {
    const rows = await db.query(selectAccounts, {})
    return rows.map(toAccount)
  }
}

function renameAccount(db: Db): AccountStore['rename'] {
  const rename = writeWithEffects<{ accountId: string; name: string }>(db)((queries, value) =>
    queries
      .updateTable('clientele_accounts')
      .set({ name: value('name') })
      .where('id', '=', value('accountId'))
      .returningAll(),
  )
  const told = createTold(db)

  return (accountId, name, eventOf) =>
    db.transact(() => told(rename.run({ accountId, name }), eventOf))
}

function setDisabled(db: Db): AccountStore['setDisabled'] {
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
  const told = createTold(db)

  return (accountId, at, eventOf) =>
    db.transact(() =>
      told(at === null ? enable.run({ accountId }) : disable.run({ accountId, at }), eventOf),
    )
}

function deleteAccount(db: Db): AccountStore['delete'] {
  const deleteLoose = looseTables.map(
    (table): Effect<{ accountId: string }, { id: string }> =>
      (queries, value) =>
        queries.deleteFrom(table).where('account_id', '=', value('accountId')),
  )
  const remove = writeWithEffects<{ accountId: string }>(db)(
    (queries, value) =>
      queries.deleteFrom('clientele_accounts').where('id', '=', value('accountId')).returning('id'),
    deleteLoose,
    { columns: { id: 'id' }, seesLatest: true },
  )

  return async (accountId) => (await remove.execute({ accountId })) !== undefined
}

/** Makes the function that writes the event of an account's change, if the change had an effect. */
function createTold(db: Db) {
  const appendEvent = createAppendEvent(db)

  return function* told(
    change: Transaction<Database['clientele_accounts'][]>,
    eventOf: (account: Account) => NewEvent,
  ): Transaction<NewEvent | undefined> {
    const [row] = yield* change
    if (row === undefined) return undefined
    const event = eventOf(toAccount(row))
    yield* run(appendEvent, { accountId: row.id, ...eventValues(event) })
    return event
  }
}

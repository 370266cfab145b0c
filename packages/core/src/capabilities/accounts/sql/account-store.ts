import type { Db } from '../../../sql/db.ts'
import type { Effect } from '../../../sql/effects.ts'
import { idsInJson, toIdsJson } from '../../../sql/ids-in-json.ts'
import { createIsStored, rememberStored } from '../../../sql/is-stored.ts'
import { readAccountRow } from '../../../sql/read-account.ts'
import { run, type Transaction } from '../../../sql/statement.ts'
import type { Database } from '../../../sql/tables/tables.ts'
import { writeWithEffects } from '../../../sql/write-with-effects.ts'
import type { NewEvent } from '../../events/new-event.ts'
import { createAppendEvent, eventValues } from '../../events/sql/record-event.ts'
import type { Account } from '../account.ts'
import type { AccountStore } from '../store.ts'
import { createAccountNames } from './account-names.ts'
import {
  settingsColumns,
  summaryColumns,
  toAccount,
  toAccountSettings,
  toAccountSummary,
} from './account-rows.ts'
import { createInsertAccount } from './insert-account.ts'
import { createUpdateAccount } from './update-account.ts'

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
  const exists = accountExists(db)
  return {
    create: createInsertAccount(db).execute,
    find: findAccount(db),
    findSettings: findSettings(db),
    exists,
    isKnown: rememberStored(exists),
    findByName: findByName(db),
    list: listAccounts(db),
    listSummaries: listSummaries(db),
    listOfEmail: listOfEmail(db),
    update: createUpdateAccount(db),
    setDisabled: setDisabled(db),
    delete: deleteAccount(db),
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

function findSettings(db: Db): AccountStore['findSettings'] {
  const selectSettings = db.statement<{ accountId: string }>()((queries, value) =>
    queries
      .selectFrom('clientele_accounts')
      .select(settingsColumns)
      .where('id', '=', value('accountId')),
  )

  return async (accountId) => {
    const row = await readAccountRow(db, selectSettings, { accountId })
    return row && toAccountSettings(row)
  }
}

function accountExists(db: Db): AccountStore['exists'] {
  const find = findSettings(db)
  const selectIds = db.statement<{ ids: string }>()((queries, value) =>
    queries
      .selectFrom('clientele_accounts')
      .select('id')
      .where((of) => db.features.isAmong(of.ref('id'), idsInJson(db.features, value('ids')))),
  )
  const isStored = createIsStored(async (ids) => {
    const rows = await db.query(selectIds, { ids: toIdsJson(ids) })
    return rows.map(({ id }) => id)
  })

  return async (accountId) => {
    // One statement for several accounts would ask every server of a distributed database.
    const isAlone = db.features.isInProcess || db.isDistributed
    return isAlone ? (await find(accountId)) !== undefined : isStored(accountId)
  }
}

function findByName(db: Db): AccountStore['findByName'] {
  const names = createAccountNames(db)
  const find = findAccount(db)

  // Not one statement: on a distributed database it would ask every server.
  return async (kind, name) => {
    const accountId = await names.findOwner(kind, name)
    const account = accountId === undefined ? undefined : await find(accountId)
    // It may have been renamed in between.
    return account?.[kind] === name ? account : undefined
  }
}

function listAccounts(db: Db): AccountStore['list'] {
  const selectAccounts = db.statement<{ after: string; limit: number }>()((queries, value) =>
    queries
      .selectFrom('clientele_accounts')
      .selectAll()
      .where('id', '>', value('after'))
      .orderBy('id')
      .limit(value('limit')),
  )

  return async (after, limit) => {
    const rows = await db.query(selectAccounts, { after, limit })
    return rows.map(toAccount)
  }
}

function listSummaries(db: Db): AccountStore['listSummaries'] {
  const selectSummaries = db.statement<{ accountId: string; after: string; limit: number }>()(
    (queries, value) =>
      queries
        .selectFrom('clientele_accounts')
        .select(summaryColumns)
        .where('id', '>', value('after'))
        .orderBy('id')
        .limit(value('limit')),
  )

  return async (after, limit) => {
    const rows = await db.reads.scan(selectSummaries, { accountId: '', after, limit })
    return rows.map(toAccountSummary)
  }
}

function listOfEmail(db: Db): AccountStore['listOfEmail'] {
  const selectAccounts = db.statement<{ email: string; limit: number }>()((queries, value) =>
    queries
      .selectFrom('clientele_users as u')
      .innerJoin('clientele_accounts as a', 'a.id', 'u.account_id')
      .selectAll('a')
      .where('u.email', '=', value('email'))
      .where('u.is_active', '=', true)
      .where('a.disabled_at', 'is', null)
      .orderBy('u.account_id')
      .limit(value('limit')),
  )

  return async (email, limit) => {
    const rows = await db.query(selectAccounts, { email, limit })
    return rows.map(toAccount)
  }
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

  const names = createAccountNames(db)

  return (accountId) =>
    db.transact(function* (): Transaction<boolean> {
      const deleted = yield* remove.run({ accountId })
      if (deleted.length === 0) return false
      yield* names.removeAll(accountId)
      return true
    })
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

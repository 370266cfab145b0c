import { type Expression, sql } from 'kysely'
import type { Db, ParameterOf, Queries } from '../../../sql/db.ts'
import { idsInJson, toIdsJson } from '../../../sql/ids-in-json.ts'
import type { Statement } from '../../../sql/statement.ts'
import { userColumns } from '../../users/sql/user-rows.ts'
import type { UserKey } from '../../users/store.ts'
import type { ScimIndex, ScimStore } from '../store.ts'
import {
  names,
  namesColumns,
  type SearchedRow,
  toScimUserRecord,
  toSearchedRecord,
} from './scim-names.ts'

interface RangeValues {
  accountId: string
  from: string
  to: string
  limit: number
}

export function createScimUserLookUps(
  db: Db,
): Pick<
  ScimStore,
  'findUser' | 'findNames' | 'findInRange' | 'walk' | 'findStanding' | 'hadAddress'
> {
  return {
    findStanding: findStanding(db),
    hadAddress: hadAddress(db),
    findUser: findUser(db),
    findNames: findNames(db.reads),
    findInRange: findInRange(db),
    walk: walk(db.reads),
  }
}

/** What a search reads of a user: metadata, which SCIM does not show, may be large. */
const searchedColumns = userColumns.filter((column) => column !== 'u.metadata')

/**
 * The users `u` of an account beside their names `s`, without their metadata, and those who have their address as user name.
 *
 * @param after their ids are higher
 */
function usersWithNames<Input extends { accountId: string }>(
  db: Db,
  queries: Queries,
  value: ParameterOf<Input>,
  after?: Expression<string>,
) {
  return queries
    .selectFrom('clientele_users as u')
    .leftJoin('clientele_scim_users as s', (join) => {
      const named = join.on('s.account_id', '=', value('accountId')).onRef('s.user_id', '=', 'u.id')
      // Said of both: PostgreSQL would read all names before.
      return after === undefined ? named : named.on('s.user_id', '>', after)
    })
    .leftJoin('clientele_scim_users as n', (join) =>
      join.on('n.account_id', '=', value('accountId')).onRef('n.user_name_key', '=', 'u.email'),
    )
    .select(searchedColumns)
    .select(noMetadata(db))
    .select(namesColumns)
    .select('n.user_id as namesake_id')
    .where('u.account_id', '=', value('accountId'))
}

function noMetadata(db: Db) {
  return db.typed(sql.lit('{}'), 'json').as('metadata')
}

function findUser(db: Db): ScimStore['findUser'] {
  const selectUser = db.statement<UserKey>()((queries, value) =>
    queries
      .selectFrom('clientele_users as u')
      .leftJoin('clientele_scim_users as s', (join) =>
        join.on('s.account_id', '=', value('accountId')).onRef('s.user_id', '=', 'u.id'),
      )
      .select(userColumns)
      .select(namesColumns)
      .where('u.account_id', '=', value('accountId'))
      .where('u.id', '=', value('userId')),
  )

  return async (accountId, userId) => {
    const row = await db.queryOne(selectUser, { accountId, userId })
    return row && toScimUserRecord(row)
  }
}

function findStanding(db: Db): ScimStore['findStanding'] {
  const selectStanding = db.statement<UserKey>()((queries, value) =>
    queries
      .selectFrom('clientele_users as u')
      .select((of) => [
        of
          .selectFrom('clientele_scim_users as s')
          .select('s.user_id')
          .where('s.account_id', '=', value('accountId'))
          .where('s.user_id', '=', value('userId'))
          .as('managed_id'),
        of
          .selectFrom('clientele_verified_emails as v')
          .select('v.user_id')
          .where('v.account_id', '=', value('accountId'))
          .where('v.user_id', '=', value('userId'))
          .whereRef('v.email', '=', 'u.email')
          .as('verified_id'),
        of
          .selectFrom('clientele_identities as i')
          .select('i.user_id')
          .where('i.account_id', '=', value('accountId'))
          .where('i.user_id', '=', value('userId'))
          // A user and the identity that created the user have one time.
          .whereRef('i.created_at', '=', 'u.created_at')
          // The issuer has vouched for the address of then only.
          .where(({ not, exists, selectFrom }) =>
            not(
              exists(
                selectFrom('clientele_former_emails as f')
                  .select('f.user_id')
                  .where('f.account_id', '=', value('accountId'))
                  .where('f.user_id', '=', value('userId')),
              ),
            ),
          )
          .limit(sql.lit(1))
          .as('created_by_id'),
      ])
      .where('u.account_id', '=', value('accountId'))
      .where('u.id', '=', value('userId')),
  )

  return async (accountId, userId) => {
    const row = await db.queryOne(selectStanding, { accountId, userId })
    if (row === undefined) return undefined
    if (row.managed_id !== null) return 'managed'
    return row.verified_id !== null || row.created_by_id !== null ? 'proven' : 'unproven'
  }
}

function hadAddress(db: Db): ScimStore['hadAddress'] {
  const selectFormer = db.statement<UserKey & { email: string }>()((queries, value) =>
    queries
      .selectFrom('clientele_former_emails')
      .select('user_id')
      .where('account_id', '=', value('accountId'))
      .where('user_id', '=', value('userId'))
      .where('email', '=', value('email')),
  )

  return async (accountId, userId, email) =>
    (await db.queryOne(selectFormer, { accountId, userId, email })) !== undefined
}

function findNames(db: Db): ScimStore['findNames'] {
  const selectNames = db.statement<{ accountId: string; ids: string }>()((queries, value) =>
    queries
      .selectFrom('clientele_scim_users as s')
      .select('s.user_id')
      .select(namesColumns)
      .where('s.account_id', '=', value('accountId'))
      .where((of) =>
        db.features.isAmong(of.ref('s.user_id'), idsInJson(db.features, value('ids'))),
      ),
  )

  return async (accountId, userIds) => {
    if (userIds.length === 0) return new Map()
    const rows = await db.query(selectNames, { accountId, ids: toIdsJson(userIds) })
    return new Map(rows.map((row) => [row.user_id, names.toRecord(row)]))
  }
}

function findInRange(db: Db): ScimStore['findInRange'] {
  const byUser = (column: 'u.id' | 'u.email' | 'u.name_key') =>
    db.statement<RangeValues>()((queries, value) =>
      usersWithNames(db, queries, value)
        .where(column, '>=', value('from'))
        .where(column, '<=', value('to'))
        .orderBy(column)
        .limit(value('limit')),
    )
  const byName = (column: 's.user_name_key' | 's.external_id') =>
    db.statement<RangeValues>()((queries, value) =>
      queries
        .selectFrom('clientele_scim_users as s')
        .innerJoin('clientele_users as u', (join) =>
          join.on('u.account_id', '=', value('accountId')).onRef('u.id', '=', 's.user_id'),
        )
        .select(searchedColumns)
        .select(noMetadata(db))
        .select(namesColumns)
        // They have a user name of their own.
        .select(db.typed(sql.lit(null), 'id').as('namesake_id'))
        .where('s.account_id', '=', value('accountId'))
        .where(column, '>=', value('from'))
        .where(column, '<=', value('to'))
        .orderBy(column)
        .limit(value('limit')),
    )
  const statements: Record<ScimIndex, Statement<RangeValues, SearchedRow>> = {
    id: byUser('u.id'),
    email: byUser('u.email'),
    name: byUser('u.name_key'),
    userName: byName('s.user_name_key'),
    externalId: byName('s.external_id'),
  }

  return async (accountId, { by, from, to }, limit) => {
    const input = { accountId, from, to, limit }
    const rows = await (from === to
      ? db.query(statements[by], input)
      : db.scan(statements[by], input))
    return rows.map(toSearchedRecord)
  }
}

function walk(db: Db): ScimStore['walk'] {
  const selectNext = db.statement<{ accountId: string; afterId: string; limit: number }>()(
    (queries, value) =>
      usersWithNames(db, queries, value, value('afterId'))
        .where('u.id', '>', value('afterId'))
        .orderBy('u.id')
        .limit(value('limit')),
  )

  return async (accountId, afterId, limit) => {
    const rows = await db.scan(selectNext, { accountId, afterId, limit })
    return rows.map(toSearchedRecord)
  }
}

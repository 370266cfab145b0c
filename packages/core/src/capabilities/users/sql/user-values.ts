import { type Expression, type RawBuilder, sql } from 'kysely'
import type { SnakeCase } from '../../../base/input/wire-names.ts'
import type { ParameterOf, Queries } from '../../../sql/db.ts'
import { kindsOf, type UserRow } from '../../../sql/tables/tables.ts'
import { columnOf, mapProfile, type UserFieldName } from '../../../user-model/fields.ts'
import { searchWordsOf, toSearchKey } from '../../../user-model/search-key.ts'
import type { StoredProfile, StoredUser } from '../../../user-model/stored-user.ts'
import type { UserKey } from '../store.ts'
import { returnedUserColumns, type VisibleUserRow } from './user-rows.ts'

/** A user's stored profile, as parameters of statements. */
export interface UserValues extends StoredProfile {
  accountId: string
  id: string
  nameKey: string
  words: string
}

/** The stored search data of a user. */
export function searchTextsOf(
  user: Pick<StoredProfile, 'name' | 'email'>,
): Pick<UserValues, 'nameKey' | 'words'> {
  return { nameKey: toSearchKey(user.name), words: JSON.stringify(searchWordsOf(user)) }
}

/** The row that a write of a user returns. */
export const writtenUserColumns = ['account_id', ...returnedUserColumns] as const

/** The kinds of those columns, for effects that read them from `changed`. */
export const writtenUserKinds = kindsOf('clientele_users', writtenUserColumns)

export type WrittenUserRow = VisibleUserRow & Pick<UserRow, 'account_id'>

/** Whether a user has the expected version; null: any version. */
export function hasVersion(expected: Expression<number | null>): RawBuilder<boolean> {
  return sql<boolean>`version = coalesce(cast(${expected} as bigint), version)`
}

/** The user whom a statement is about, in the version that is expected */
export function selectExpected(
  queries: Queries,
  value: ParameterOf<UserKey & { expectedVersion: number | null }>,
) {
  return queries
    .selectFrom('clientele_users')
    .select('id')
    .where('account_id', '=', value('accountId'))
    .where('id', '=', value('userId'))
    .where(hasVersion(value('expectedVersion')))
}

/** The values of fields for an insert or update, from the parameters of the same names. */
export function fieldValues<Input extends Pick<StoredUser, Name>, Name extends UserFieldName>(
  names: readonly Name[],
  value: ParameterOf<Input>,
): { [Column in SnakeCase<Name>]: Expression<UserRow[Column & keyof UserRow]> } {
  const parameter = value as unknown as (name: string) => Expression<unknown> // every name is a member of the input
  return Object.fromEntries(names.map((name) => [columnOf(name), parameter(name)])) as never // one per field
}

/** The stored parameters of a change. */
export function pickProfile(changes: StoredProfile): StoredProfile {
  return mapProfile((name) => changes[name])
}

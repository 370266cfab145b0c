import { type Expression, type RawBuilder, sql } from 'kysely'
import type { SnakeCase } from '../../../base/input/wire-names.ts'
import type { ParameterOf } from '../../../sql/db.ts'
import { kindsOf, type UserRow } from '../../../sql/tables/tables.ts'
import { columnOf, mapProfile, type UserFieldName } from '../../../user-model/fields.ts'
import { searchWordsOf, toSearchKey } from '../../../user-model/search-key.ts'
import type { StoredProfile, StoredUser } from '../../../user-model/stored-user.ts'
import { returnedUserColumns, type VisibleUserRow } from './user-rows.ts'

/** What is stored of a user's profile, as statements take it. */
export interface UserValues extends StoredProfile {
  accountId: string
  id: string
  nameKey: string
  words: string
}

/** What of a user is stored to be searched by. */
export function searchTextsOf(
  user: Pick<StoredProfile, 'name' | 'email'>,
): Pick<UserValues, 'nameKey' | 'words'> {
  return { nameKey: toSearchKey(user.name), words: JSON.stringify(searchWordsOf(user)) }
}

/** What a write of a user answers with. */
export const writtenUserColumns = ['account_id', ...returnedUserColumns] as const

/** What kinds of columns those are, for effects that read them from `changed`. */
export const writtenUserKinds = kindsOf('clientele_users', writtenUserColumns)

export type WrittenUserRow = VisibleUserRow & Pick<UserRow, 'account_id'>

/** Whether a user has the expected version; null: whatever it has. */
export function hasVersion(expected: Expression<number | null>): RawBuilder<boolean> {
  return sql<boolean>`version = coalesce(cast(${expected} as bigint), version)`
}

/** The values of fields for an insert or update, from the parameters of their names. */
export function fieldValues<Input extends Pick<StoredUser, Name>, Name extends UserFieldName>(
  names: readonly Name[],
  value: ParameterOf<Input>,
): { [Column in SnakeCase<Name>]: Expression<UserRow[Column & keyof UserRow]> } {
  const parameter = value as unknown as (name: string) => Expression<unknown> // every name is one of the input's
  return Object.fromEntries(names.map((name) => [columnOf(name), parameter(name)])) as never // one a field
}

/** What of a change is stored as it is. */
export function pickProfile(changes: StoredProfile): StoredProfile {
  return mapProfile((name) => changes[name])
}

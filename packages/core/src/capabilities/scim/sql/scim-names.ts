import { mapRecords } from '../../../sql/record-mapper.ts'
import type { Database } from '../../../sql/tables/tables.ts'
import { toVersionedUser, type VisibleUserRow } from '../../users/sql/user-rows.ts'
import type { StoredScimNames } from '../scim-user.ts'
import type { ScimUserRecord, SearchedUserRecord } from '../store.ts'

export const names = mapRecords<StoredScimNames>()('clientele_scim_users', 'account_id', 'user_id')

/** The columns of the names in the table `clientele_scim_users as s`. */
export const namesColumns = names.columns.map((column) => `s.${column}` as const)

type NamesRow = Pick<Database['clientele_scim_users'], (typeof names.columns)[number]>

/** A user beside the names, which may be missing. */
export type ScimUserRow = VisibleUserRow & { [Column in keyof NamesRow]: NamesRow[Column] | null }

/** The same beside the user who has the address as user name. */
export type SearchedRow = ScimUserRow & { namesake_id: string | null }

export function toSearchedRecord(row: SearchedRow): SearchedUserRecord {
  return { ...toScimUserRecord(row), hasNamesake: row.namesake_id !== null }
}

export function toScimUserRecord(row: ScimUserRow): ScimUserRecord {
  return { ...toVersionedUser(row), names: hasNames(row) ? names.toRecord(row) : undefined }
}

function hasNames(row: ScimUserRow): row is VisibleUserRow & NamesRow {
  return row.user_name !== null
}

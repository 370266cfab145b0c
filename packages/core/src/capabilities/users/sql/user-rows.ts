import type { UserRow } from '../../../sql/tables/tables.ts'
import { columnOf, userFieldNames } from '../../../user-model/fields.ts'
import { toStoredUser, type VersionedUser } from '../../../user-model/stored-user.ts'

/** The public columns of a user, as a write returns them; never the password hash. */
export const returnedUserColumns = [...userFieldNames.map(columnOf), 'version'] as const

/** The same for the table `clientele_users as u`. */
export const userColumns = returnedUserColumns.map((column) => `u.${column}` as const)

export type VisibleUserRow = Pick<UserRow, (typeof returnedUserColumns)[number]>

export function toVersionedUser(row: VisibleUserRow): VersionedUser {
  return { user: toStoredUser(row), version: row.version }
}

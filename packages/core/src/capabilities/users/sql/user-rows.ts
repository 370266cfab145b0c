import { sql } from 'kysely'
import type { Db } from '../../../sql/db.ts'
import type { UserRow } from '../../../sql/tables/tables.ts'
import { columnOf, userFieldNames, userFields } from '../../../user-model/fields.ts'
import { toStoredUser, type VersionedUser } from '../../../user-model/stored-user.ts'

/** The public columns of a user, as a write returns them; never the password hash. */
export const returnedUserColumns = [...userFieldNames.map(columnOf), 'version'] as const

/** The same for the table `clientele_users as u`. */
export const userColumns = returnedUserColumns.map((column) => `u.${column}` as const)

/** How the users of a page are read. */
export interface PageReading {
  columns: typeof userColumns
  /** Outside of the event loop */
  isBeside: boolean
}

export const plainReading: PageReading = { columns: userColumns, isBeside: false }

/** A reading whose users are `EncodedUser`s; undefined: the database's driver cannot do that. */
export function createEncodedReading({ features, driver }: Db): PageReading | undefined {
  const { toBytes } = features
  if (toBytes === undefined || driver.scan === undefined) return undefined
  const columns = userFieldNames.map((name) => {
    const column = columnOf(name)
    const read = sql.ref<string>(`u.${column}`)
    return userFields[name].kind === 'json' ? toBytes(read).as(column) : (`u.${column}` as const)
  })
  // Kysely takes expressions where it takes names of columns.
  return { columns: [...columns, 'u.version'] as unknown as typeof userColumns, isBeside: true }
}

export type VisibleUserRow = Pick<UserRow, (typeof returnedUserColumns)[number]>

export function toVersionedUser(row: VisibleUserRow): VersionedUser {
  return { user: toStoredUser(row), version: row.version }
}

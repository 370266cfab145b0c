import type { SecretKind } from '../../base/crypto/stored-secrets.ts'
import type { ColumnKind } from '../dialect-features.ts'
import { accountTables } from './account-tables.ts'
import type { Column, RowOf, Table } from './column.ts'
import { eventTables } from './event-tables.ts'
import { scimTables } from './scim-tables.ts'
import { signInTables } from './sign-in-tables.ts'
import { userTables } from './user-tables.ts'

/** Every table. A test compares them with the tables in the databases. */
export const tables = {
  ...accountTables,
  ...userTables,
  ...scimTables,
  ...signInTables,
  ...eventTables,
}

type Tables = typeof tables
type Rows = { [Name in keyof Tables]: RowOf<Tables[Name]['columns']> }

/** Rows as the drivers return them. */
export interface Database extends Rows {}

export type UserRow = Database['clientele_users']

/** The names of the tables whose description has this type. */
export type TableWith<Description> = {
  [Name in keyof Tables]: Tables[Name] extends Description ? Name : never
}[keyof Tables]

/** The kinds of a table's columns. */
export function kindsOf<Name extends keyof Tables, Named extends keyof Tables[Name]['columns']>(
  table: Name,
  names: readonly Named[],
): Record<Named, ColumnKind> {
  const columns = tables[table].columns as Record<Named, Column> // each name is a column
  return Object.fromEntries(names.map((name) => [name, columns[name].kind])) as Record<
    Named,
    ColumnKind // one per name
  >
}

/** A column that is encrypted. */
export interface EncryptedColumn {
  table: keyof Tables
  column: string
  kind: SecretKind
  key: { name: string; kind: ColumnKind }
  /** The column that names the secret; undefined: each row must be checked */
  marker: string | undefined
  /** Whether the table has a row per user */
  isOfUsers: boolean
}

export function listEncrypted(): EncryptedColumn[] {
  return (Object.entries(tables) as [keyof Tables, Table][]).flatMap(([table, description]) => {
    const { columns, key: name = '', encryptedUnder: marker, erasure } = description
    const key = columns[name]
    if (key === undefined) return []
    const ofTable = {
      table,
      key: { name, kind: key.kind },
      marker,
      isOfUsers: erasure === 'with the user',
    }
    return Object.entries(columns).flatMap(([column, { encrypts: kind }]) =>
      kind === undefined ? [] : [{ ...ofTable, column, kind }],
    )
  })
}

/** The tables that match. */
export function listTables<Name extends keyof Tables>(
  isListed: (name: keyof Tables) => name is Name,
): readonly Name[] {
  return (Object.keys(tables) as (keyof Tables)[]).filter(isListed) // the object's own keys
}

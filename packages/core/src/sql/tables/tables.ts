import type { SecretKind } from '../../base/crypto/stored-secrets.ts'
import type { ColumnKind } from '../dialect-features.ts'
import { accountTables } from './account-tables.ts'
import type { Column, RowOf, Table } from './column.ts'
import { eventTables } from './event-tables.ts'
import { signInTables } from './sign-in-tables.ts'
import { userTables } from './user-tables.ts'

/** Every table, once: a test compares them with what the databases have. */
export const tables = { ...accountTables, ...userTables, ...signInTables, ...eventTables }

type Tables = typeof tables
type Rows = { [Name in keyof Tables]: RowOf<Tables[Name]['columns']> }

/** Rows as the drivers hand them over. */
export interface Database extends Rows {}

export type UserRow = Database['clientele_users']

/** The names of the tables that are described so. */
export type TableWith<Description> = {
  [Name in keyof Tables]: Tables[Name] extends Description ? Name : never
}[keyof Tables]

/** What kinds of columns those of a table are. */
export function kindsOf<Name extends keyof Tables, Named extends keyof Tables[Name]['columns']>(
  table: Name,
  names: readonly Named[],
): Record<Named, ColumnKind> {
  const columns = tables[table].columns as Record<Named, Column> // each name is one of them
  return Object.fromEntries(names.map((name) => [name, columns[name].kind])) as Record<
    Named,
    ColumnKind // one a name
  >
}

/** A column that is encrypted. */
export interface EncryptedColumn {
  table: keyof Tables
  column: string
  kind: SecretKind
  key: { name: string; kind: ColumnKind }
  /** The column that says under which secret; undefined: each row has to be looked at */
  marker: string | undefined
  /** Whether there are as many rows as users */
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

/** The tables of which that holds. */
export function listTables<Name extends keyof Tables>(
  isListed: (name: keyof Tables) => name is Name,
): readonly Name[] {
  return (Object.keys(tables) as (keyof Tables)[]).filter(isListed) // its own keys
}

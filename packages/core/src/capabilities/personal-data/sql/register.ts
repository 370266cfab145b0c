import type { Table } from '../../../sql/tables/column.ts'
import { listTables, type TableWith, tables } from '../../../sql/tables/tables.ts'

/** The tables whose rows are deleted with the user's row */
export type TableOfUser = TableWith<{ erasure: 'with the user' }>

export const tablesOfUser = listTables(
  (table): table is TableOfUser => tables[table].erasure === 'with the user',
)

/** The number of deleted rows by table; an erasure that omits a table does not compile. */
export type RemovedRows = Record<TableOfUser | TableWith<{ erasure: 'by name' }>, number>

type EventColumns = (typeof tables)['clientele_events']['columns']
type EmptiedColumns = {
  [Name in keyof EventColumns as EventColumns[Name]['about'] extends 'emptied' ? Name : never]: null
}

/** The columns that an erasure empties in the events that stay */
export const emptied = Object.fromEntries(
  Object.entries(tables.clientele_events.columns).flatMap(([name, { about }]) =>
    about === 'emptied' ? [[name, null]] : [],
  ),
) as EmptiedColumns // the table's own columns

/** The rows that stay, as listed in a receipt. */
export function listRetained(): { what: string; why: string }[] {
  return Object.entries<Table>(tables).flatMap(([what, { retained }]) =>
    retained === undefined ? [] : [{ what, why: retained }],
  )
}

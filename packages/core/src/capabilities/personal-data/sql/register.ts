import type { Table } from '../../../sql/tables/column.ts'
import { listTables, type TableWith, tables } from '../../../sql/tables/tables.ts'

/** The tables whose rows go with the user's row */
export type TableOfUser = TableWith<{ erasure: 'with the user' }>

export const tablesOfUser = listTables(
  (table): table is TableOfUser => tables[table].erasure === 'with the user',
)

/** What an erasure says of how many rows went: without each of these tables it does not compile. */
export type RemovedRows = Record<TableOfUser | TableWith<{ erasure: 'by name' }>, number>

type EventColumns = (typeof tables)['clientele_events']['columns']
type EmptiedColumns = {
  [Name in keyof EventColumns as EventColumns[Name]['about'] extends 'emptied' ? Name : never]: null
}

/** What an erasure takes out of the events that it leaves */
export const emptied = Object.fromEntries(
  Object.entries(tables.clientele_events.columns).flatMap(([name, { about }]) =>
    about === 'emptied' ? [[name, null]] : [],
  ),
) as EmptiedColumns // its own columns

/** What remains, as a receipt says it. */
export function listRetained(): { what: string; why: string }[] {
  return Object.entries<Table>(tables).flatMap(([what, { retained }]) =>
    retained === undefined ? [] : [{ what, why: retained }],
  )
}

import type { Migration } from '../../migration.ts'

/** Creates the tables of the console's links, which work once, and its sessions. They belong to no account. */
export const createConsoleTables: Migration['up'] = ({ schema }, { types, keyedTable }) => [
  schema
    .createTable('clientele_console_links')
    .addColumn('hash', types.sortedText, (column) => column.notNull().primaryKey())
    .addColumn('expires_at', types.time, (column) => column.notNull())
    .modifyEnd(keyedTable),
  schema
    .createTable('clientele_console_sessions')
    .addColumn('hash', types.sortedText, (column) => column.notNull().primaryKey())
    .addColumn('expires_at', types.time, (column) => column.notNull())
    .modifyEnd(keyedTable),
]

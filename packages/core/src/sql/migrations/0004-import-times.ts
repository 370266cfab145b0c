import type { Migration } from '../migration.ts'

/** Keeps when an import last went on, so that abandoned ones can be deleted. */
export const importTimes: Migration = {
  name: '0004-import-times',
  up: ({ schema }, { types }) => [
    schema.alterTable('clientele_imports').addColumn('updated_at', types.time),
  ],
}

import type { Migration } from './migration.ts'

/** Which address a code went to: it is worth nothing once the user has another. */
export const mailedTo: Migration = {
  name: '0009-mailed-to',
  up: ({ schema }) => [schema.alterTable('clientele_challenges').addColumn('mailed_to', 'text')],
}

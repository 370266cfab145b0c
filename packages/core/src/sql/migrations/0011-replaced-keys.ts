import type { Migration } from './migration.ts'

/** Since when an API key has been replaced, and the expiry that it had before: the next that replaces it inherits it. */
export const replacedKeys: Migration = {
  name: '0011-replaced-keys',
  up: ({ schema }, { types }) => [
    schema.alterTable('clientele_api_keys').addColumn('replaced_at', types.time),
    schema.alterTable('clientele_api_keys').addColumn('unreplaced_expires_at', types.time),
  ],
}

import type { Migration } from '../migration.ts'
import { createAccountTables } from './0001-initial/create-account-tables.ts'
import { createCountTables } from './0001-initial/create-count-tables.ts'
import { createEmailTokenTables } from './0001-initial/create-email-token-tables.ts'
import { createMfaTables } from './0001-initial/create-mfa-tables.ts'
import { createSessionTables } from './0001-initial/create-session-tables.ts'
import { createUserTables } from './0001-initial/create-user-tables.ts'

/**
 * The account's id comes first in every key, so that the tables can be distributed by account. No sequence, no
 * trigger, and no constraint that spans accounts.
 */
export const initial: Migration = {
  name: '0001-initial',
  up: (queries, features) =>
    [
      createAccountTables,
      createUserTables,
      createCountTables,
      createSessionTables,
      createMfaTables,
      createEmailTokenTables,
    ].flatMap((createTables) => createTables(queries, features)),
}

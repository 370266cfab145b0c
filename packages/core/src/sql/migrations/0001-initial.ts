import type { Migration } from '../migration.ts'
import { createAccountTables } from './0001-initial/create-account-tables.ts'
import { createConsoleTables } from './0001-initial/create-console-tables.ts'
import { createCountTables } from './0001-initial/create-count-tables.ts'
import { createEmailTokenTables } from './0001-initial/create-email-token-tables.ts'
import { createEventTables } from './0001-initial/create-event-tables.ts'
import { createIdentityTables } from './0001-initial/create-identity-tables.ts'
import { createIssuerTables } from './0001-initial/create-issuer-tables.ts'
import { createMfaTables } from './0001-initial/create-mfa-tables.ts'
import { createPasskeyTables } from './0001-initial/create-passkey-tables.ts'
import { createReplyTables } from './0001-initial/create-reply-tables.ts'
import { createSessionTables } from './0001-initial/create-session-tables.ts'
import { createSigningKeyTables } from './0001-initial/create-signing-key-tables.ts'
import { createUserTables } from './0001-initial/create-user-tables.ts'
import { createWebhookTables } from './0001-initial/create-webhook-tables.ts'
import { leaveAccountsUncounted } from './0001-initial/leave-accounts-uncounted.ts'

/**
 * Every key begins with the account's id, so that the tables can be distributed by account. There is no sequence, no
 * trigger and no constraint across accounts.
 */
export const initial: Migration = {
  name: '0001-initial',
  up: (queries, features) =>
    [
      createAccountTables,
      createIssuerTables,
      createUserTables,
      createCountTables,
      createSessionTables,
      createSigningKeyTables,
      createMfaTables,
      createEmailTokenTables,
      createEventTables,
      createReplyTables,
      createWebhookTables,
      createIdentityTables,
      createPasskeyTables,
      createConsoleTables,
      leaveAccountsUncounted,
    ].flatMap((change) => change(queries, features)),
}

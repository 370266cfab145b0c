import type { Migration } from '../migration.ts'

/** The tables with rows of users that have an index of the user, and the stored responses */
const tables = [
  'clientele_challenges',
  'clientele_devices',
  'clientele_email_changes',
  'clientele_email_tokens',
  'clientele_identities',
  'clientele_passkey_ceremonies',
  'clientele_passkeys',
  'clientele_replies',
  'clientele_sessions',
  'clientele_sign_in_codes',
  'clientele_user_tokens',
]

/**
 * Tells SQLite that an account has many more rows than a user. Without statistics it expects ten of each, and walks through
 * all sessions of the account where a user is deleted: a foreign key chooses its index by them.
 */
export const expectedSizes: Migration = {
  name: '0014-expected-sizes',
  up: (queries, { expectSizes }) => expectSizes?.(queries, tables) ?? [],
}

import type { Migration } from '../../migration.ts'

/** Tables that grow with an account's users or with their activity. */
const tables = [
  'clientele_users',
  'clientele_user_roles',
  'clientele_user_words',
  'clientele_user_count_groups',
  'clientele_user_count_ranges',
  'clientele_user_count_deltas',
  'clientele_sessions',
  'clientele_mfa_factors',
  'clientele_recovery_codes',
  'clientele_challenges',
  'clientele_email_tokens',
  'clientele_verified_emails',
  'clientele_rate_limits',
  'clientele_former_emails',
  'clientele_events',
  'clientele_replies',
  'clientele_identities',
  'clientele_used_id_tokens',
  'clientele_passkeys',
  'clientele_passkey_ceremonies',
] as const

/**
 * Makes the planner estimate each account as a small part of a table at its current size, whether or not the statistics
 * include the account. Otherwise, after a large import and until the next analysis, a look-up by a whole key scans
 * another column's index. This concerns our own statements and the foreign key checks of PostgreSQL.
 */
export const leaveAccountsUncounted: Migration['up'] = ({ schema }, { uncountedId }) =>
  uncountedId === undefined
    ? []
    : tables.map((table) =>
        schema
          .alterTable(table)
          .alterColumn('account_id', (column) => column.setDataType(uncountedId)),
      )

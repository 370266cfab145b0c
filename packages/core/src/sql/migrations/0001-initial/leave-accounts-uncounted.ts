import type { Migration } from '../../migration.ts'

/** What grows with the users of an account, or with what they do. */
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
 * Lets plans take each account for a small part of a table, as large as the table is at that moment, whether or not its
 * statistics have met the account. Else a look-up by a whole key walks through the index of another column after a large
 * import, until the table is analysed: its own statements and those by which PostgreSQL checks foreign keys.
 */
export const leaveAccountsUncounted: Migration['up'] = ({ schema }, { uncountedId }) =>
  uncountedId === undefined
    ? []
    : tables.map((table) =>
        schema
          .alterTable(table)
          .alterColumn('account_id', (column) => column.setDataType(uncountedId)),
      )

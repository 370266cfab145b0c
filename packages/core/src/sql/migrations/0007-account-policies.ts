import type { Migration } from '../migration.ts'

/**
 * Gives accounts a policy for sign-ins and passwords. It is text, because a session opens only while the account has the
 * same, and PostgreSQL compares no JSON.
 */
export const accountPolicies: Migration = {
  name: '0007-account-policies',
  up: ({ schema }) => [schema.alterTable('clientele_accounts').addColumn('policy', 'text')],
}

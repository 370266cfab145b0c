import { type Expression, expressionBuilder } from 'kysely'
import type { Database } from '../../../sql/tables/tables.ts'

/** The text of the account's policy. */
export function accountPolicy(accountId: Expression<string>) {
  return expressionBuilder<Database>()
    .selectFrom('clientele_accounts as ap')
    .select('ap.policy')
    .where('ap.id', '=', accountId)
    .as('account_policy')
}

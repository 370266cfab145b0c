import type { ExpressionBuilder } from 'kysely'
import type { Database } from '../../../sql/tables/tables.ts'

/** Whether the account of the endpoint `w` is enabled. */
export function hasEnabledAccount(
  of: ExpressionBuilder<Database & { w: Database['clientele_webhooks'] }, 'w'>,
) {
  return of.exists(
    of
      .selectFrom('clientele_accounts as c')
      .select('c.id')
      .whereRef('c.id', '=', 'w.account_id')
      .where('c.disabled_at', 'is', null),
  )
}

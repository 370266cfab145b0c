import { type Expression, expressionBuilder } from 'kysely'
import type { Database } from '../../../sql/tables/tables.ts'

/**
 * Whether an account has events without a position. A subquery with a limit instead of EXISTS: for EXISTS SQLite would
 * choose another index, which has all needed columns, and read all events of the account.
 */
export function hasPendingEvents(accountId: Expression<string>) {
  const of = expressionBuilder<Database>()
  const pending = of
    .selectFrom('clientele_events as pending')
    .select('pending.id')
    .where('pending.account_id', '=', accountId)
    .where('pending.position', 'is', null)
    .limit(of.lit(1))
  return of(pending, 'is not', null)
}

import { type Expression, expressionBuilder } from 'kysely'
import type { Database } from '../../../sql/tables/tables.ts'

/**
 * Whether an account has events without a position. A subquery with a limit in the place of EXISTS: for that SQLite reads
 * all events of the account, as another index has all columns of the answer.
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

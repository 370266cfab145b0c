import { type Expression, expressionBuilder, type RawBuilder, sql } from 'kysely'
import type { ParameterOf } from '../../../sql/db.ts'
import type { DialectFeatures } from '../../../sql/dialect-features.ts'

/**
 * Whether a row belongs to an account of a shared statement: one of those in the records of a JSON array, or the one
 * account of all calls. With one account, a distributed database asks one shard.
 */
export type OfAccounts = (
  column: Expression<string>,
  value: ParameterOf<{ accountId: string }>,
  records: Expression<string>,
) => RawBuilder<boolean>

export function ofAccounts(
  features: DialectFeatures,
  { isOfOne }: { isOfOne: boolean },
): OfAccounts {
  if (isOfOne) return (column, value) => sql<boolean>`${column} = ${value('accountId')}`
  return (column, _value, records) =>
    // PostgreSQL then looks up each account; for a join alone it may read all endpoints.
    features.isAmong(
      column,
      expressionBuilder<object>()
        .selectFrom(
          features
            .recordsOfJsonArray<{ account_id: string }>(records, { account_id: 'id' })
            .as('a'),
        )
        .select('a.account_id'),
    )
}

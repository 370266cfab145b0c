import { type Expression, expressionBuilder } from 'kysely'
import type { DialectFeatures } from '../../../sql/dialect-features.ts'

/** The accounts that the records of a JSON array are of */
export function accountsIn(features: DialectFeatures, records: Expression<string>) {
  return expressionBuilder<object>()
    .selectFrom(
      features.recordsOfJsonArray<{ account_id: string }>(records, { account_id: 'id' }).as('a'),
    )
    .select('a.account_id')
}

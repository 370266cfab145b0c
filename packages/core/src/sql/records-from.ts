import type { AliasedExpression } from 'kysely'
import type { Queries } from './db.ts'

/**
 * A statement that changes rows by the records `r` of a JSON array. It names their keys twice: `where('id', 'in', keys of
 * r)` beside the join. SQLite joins what it reads from JSON as the inner table where its statistics do not say otherwise,
 * so that each row of the account meets each record; read once, and with the keys in a list, each record finds its row.
 */
export function recordsFrom<Row>(queries: Queries, records: AliasedExpression<Row, 'r'>) {
  return queries.with(
    (name) => name('r').materialized(),
    (of) => of.selectFrom(records).selectAll('r'),
  )
}

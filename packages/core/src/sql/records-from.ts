import type { AliasedExpression } from 'kysely'
import type { Queries } from './db.ts'

/**
 * A statement that changes rows by the records `r` of a JSON array. It names their keys twice: in the join and in
 * `where('id', 'in', keys of r)`. Without statistics SQLite makes the JSON records the inner table of the join, so that
 * each row of the account is compared with each record. With the list of keys it reads the records once, and each
 * record finds its row.
 */
export function recordsFrom<Row>(queries: Queries, records: AliasedExpression<Row, 'r'>) {
  return queries.with(
    (name) => name('r').materialized(),
    (of) => of.selectFrom(records).selectAll('r'),
  )
}

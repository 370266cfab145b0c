import type { AliasedExpression } from 'kysely'
import type { Queries } from './db.ts'

/**
 * Begins a statement that changes rows by the records of a JSON array, each row by the record with its key. The records
 * are the table `r`. The caller compares the keys twice: in the join, and in `where('id', 'in', keys of r)`. Without
 * the second comparison SQLite, when it has no statistics, compares each row of the account with each record. With it
 * SQLite reads the records once, and finds each row by its key.
 */
export function recordsFrom<Row>(queries: Queries, records: AliasedExpression<Row, 'r'>) {
  return queries.with(
    (name) => name('r').materialized(),
    (of) => of.selectFrom(records).selectAll('r'),
  )
}

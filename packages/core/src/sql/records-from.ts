import type { AliasedExpression } from 'kysely'
import type { Queries } from './db.ts'

/**
 * Begins a statement that changes each row by the record of a JSON array that has its key: the records are the table
 * `r`. The caller compares the keys twice: in the join, and in `where('id', 'in', keys of r)`. Without the second
 * comparison SQLite, when it has no statistics, compares each row of the account with each record. With it SQLite reads
 * the records once, and finds each row by its key.
 */
export function recordsFrom<Row>(queries: Queries, records: AliasedExpression<Row, 'r'>) {
  return queries.with(
    (name) => name('r').materialized(),
    (of) => of.selectFrom(records).selectAll('r'),
  )
}

import { type Expression, type RawBuilder, sql } from 'kysely'
import type { Db } from '../../../sql/db.ts'

/**
 * What a user's `tokens_not_before` must be if the user is unchanged since a sign-in began: the time that was read then,
 * or any where none is given.
 */
export function expectedNotBefore(db: Db, given: Expression<number | null>): RawBuilder<number> {
  return sql<number>`coalesce(${db.typed(given, 'time')}, tokens_not_before)`
}

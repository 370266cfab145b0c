import { type Expression, expressionBuilder, type SqlBool } from 'kysely'
import type { Db, ParameterOf } from '../../../sql/db.ts'
import type { Database } from '../../../sql/tables/tables.ts'

interface Restrictable {
  where(condition: Expression<SqlBool>): this
}

/**
 * For `$call` of a query that changes what belongs to a user, and records an event: it locks the user's row first. A
 * change of the user takes the same lock before its event is written, so the events of both have the order of their
 * changes. Without it the change may have written its event, and then wait for a row that this query ends.
 */
export function withUserLocked(
  db: Db,
  value: ParameterOf<{ accountId: string; userId: string }>,
): <Query extends Restrictable>(query: Query) => Query {
  return (query) => {
    if (!db.features.hasConcurrentWriters) return query
    const of = expressionBuilder<Database>()
    const user = of
      .selectFrom('clientele_users')
      .select('id')
      .where('account_id', '=', value('accountId'))
      .where('id', '=', value('userId'))
      .forNoKeyUpdate()
    return query.where(of.exists(user))
  }
}

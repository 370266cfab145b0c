import { sql } from 'kysely'
import type { Db } from '../../../sql/db.ts'
import { run, type Transaction } from '../../../sql/statement.ts'
import { endingTables } from '../../users/sql/revoke-credentials.ts'

const countedTables = [...endingTables, 'clientele_user_tokens'] as const

/**
 * Counts the rows of a user that end with the password or the address. Only a database in this process is asked: rows that
 * end on a server block no other request.
 */
export function createCountCredentials(db: Db) {
  const count = db.statement<{ accountId: string; userId: string }>()((queries, value) => {
    const [ofAccount, ofUser] = [sql.ref('account_id'), sql.ref('user_id')]
    const counts = countedTables.map(
      (table) =>
        sql`(select count(*) from ${sql.table(table)} where ${ofAccount} = ${value('accountId')} and ${ofUser} = ${value('userId')})`,
    )
    return queries.selectNoFrom(sql<number>`${sql.join(counts, sql` + `)}`.as('rows'))
  })

  return function* countCredentials(accountId: string, userId: string): Transaction<number> {
    if (!db.features.isInProcess) return 0
    const [row] = yield* run(count, { accountId, userId })
    return row?.rows ?? 0
  }
}

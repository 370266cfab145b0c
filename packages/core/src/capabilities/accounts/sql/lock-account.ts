import type { Db } from '../../../sql/db.ts'

/** Reads an account that no other transaction changes until this one ends. */
export function createLockAccount(db: Db) {
  return db.statement<{ accountId: string }>()((queries, value) =>
    queries
      .selectFrom('clientele_accounts')
      .selectAll()
      .where('id', '=', value('accountId'))
      .$if(db.features.hasConcurrentWriters, (locked) => locked.forNoKeyUpdate()),
  )
}

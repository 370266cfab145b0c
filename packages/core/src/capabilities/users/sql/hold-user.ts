import type { Db } from '../../../sql/db.ts'
import { run, type Transaction } from '../../../sql/statement.ts'

interface AddressKey {
  accountId: string
  email: string
}

/**
 * Holds the active user who has an address until the transaction ends, and returns the user's id. What ends mailed codes
 * and tokens waits, and then ends those of the transaction, too; or it comes first, and is seen.
 */
export function createHoldUser(db: Db) {
  const holdUser = db.statement<AddressKey>()((queries, value) =>
    queries
      .selectFrom('clientele_users')
      .select('id')
      .where('account_id', '=', value('accountId'))
      .where('email', '=', value('email'))
      .where('is_active', '=', true)
      .$if(db.features.hasConcurrentWriters, (locked) => locked.forShare()),
  )

  return function* hold(key: AddressKey): Transaction<string | undefined> {
    const [user] = yield* run(holdUser, key)
    return user?.id
  }
}

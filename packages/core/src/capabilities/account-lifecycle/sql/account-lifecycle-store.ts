import type { Db } from '../../../sql/db.ts'
import { run, type Transaction } from '../../../sql/statement.ts'
import { createInsertAccount } from '../../accounts/sql/insert-account.ts'
import { createInsertApiKey } from '../../api-keys/sql/insert-api-key.ts'
import { eventValues } from '../../events/sql/record-event.ts'
import type { AccountLifecycleStore } from '../store.ts'
import { createShortenAccount } from './shorten-account.ts'

export function createAccountLifecycleStore(db: Db): AccountLifecycleStore {
  const selectAnyAccount = db.statement<object>()((queries) =>
    queries.selectFrom('clientele_accounts').select('id').limit(1),
  )
  const insertAccount = createInsertAccount(db)
  const insertKey = createInsertApiKey(db)
  return {
    shorten: createShortenAccount(db),
    bootstrap: async (accountId, account, createdAt, key, event) => {
      const outcome = await insertAccount.transact(function* (): Transaction<boolean> {
        // Read while holding the lock: another process may have created the account meanwhile.
        for (const step of db.driver.migrationLock()) yield step
        if ((yield* run(selectAnyAccount, {})).length > 0) return false
        yield* insertAccount.write(accountId, account, createdAt)
        const scopes = JSON.stringify(key.scopes)
        yield* insertKey.run({ ...eventValues(event), accountId, ...key, scopes })
        return true
      })
      // A name is taken by an account that another process made meanwhile.
      return outcome === true
    },
  }
}

import type { Db } from '../../sql/db.ts'
import { clearExpired } from '../../sql/expired-rows.ts'
import { writeWithEffects } from '../../sql/write-with-effects.ts'
import type { SignInStore } from './store.ts'

export function createSignInStore(db: Db): SignInStore {
  const insertUsed = writeWithEffects<{
    accountId: string
    digest: string
    now: number
    expiresAt: number
  }>(db)(
    (queries, value) =>
      queries
        .insertInto('clientele_used_id_tokens')
        .values({
          account_id: value('accountId'),
          digest: value('digest'),
          expires_at: value('expiresAt'),
        })
        .onConflict((conflict) => conflict.columns(['account_id', 'digest']).doNothing())
        .returning(['account_id', 'digest']),
    [clearExpired(db, 'clientele_used_id_tokens')],
    { columns: { account_id: 'id', digest: 'text' } },
  )
  return {
    useIdToken: async (accountId, digest, times) =>
      (await insertUsed.execute({ accountId, digest, ...times })) !== undefined,
  }
}

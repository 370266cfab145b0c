import type { Db } from '../../sql/db.ts'
import type { SignInStore } from './store.ts'

export function createSignInStore(db: Db): SignInStore {
  const insertUsed = db.statement<{
    accountId: string
    digest: string
    expiresAt: number
  }>()((queries, value) =>
    queries
      .insertInto('clientele_used_id_tokens')
      .values({
        account_id: value('accountId'),
        digest: value('digest'),
        expires_at: value('expiresAt'),
      })
      .onConflict((conflict) => conflict.columns(['account_id', 'digest']).doNothing())
      .returning('digest'),
  )
  return {
    useIdToken: async (accountId, digest, expiresAt) =>
      (await db.queryOne(insertUsed, { accountId, digest, expiresAt })) !== undefined,
  }
}

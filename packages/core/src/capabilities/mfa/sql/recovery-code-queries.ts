import { type Db, run, type Transaction } from '../../../sql/db.ts'
import type { UserKey } from '../../users/store.ts'
import type { MfaStore } from '../store.ts'

export function createRecoveryCodeQueries(db: Db): Pick<MfaStore, 'useRecoveryCode'> {
  const useCode = db.statement<UserKey & { hash: string }>()((queries, value) =>
    queries
      .deleteFrom('clientele_recovery_codes')
      .where('account_id', '=', value('accountId'))
      .where('user_id', '=', value('userId'))
      .where('hash', '=', value('hash'))
      .returning('user_id'),
  )
  /** Serialises concurrent answers to one challenge. */
  const lockChallenge = db.statement<UserKey & { challengeHash: string }>()((queries, value) =>
    queries
      .selectFrom('clientele_challenges')
      .select('hash')
      .where('account_id', '=', value('accountId'))
      .where('hash', '=', value('challengeHash'))
      .where('user_id', '=', value('userId'))
      .$if(db.features.hasConcurrentWriters, (locked) => locked.forUpdate()),
  )
  const endChallenge = db.statement<UserKey & { challengeHash: string }>()((queries, value) =>
    queries
      .deleteFrom('clientele_challenges')
      .where('account_id', '=', value('accountId'))
      .where('hash', '=', value('challengeHash')),
  )

  return {
    useRecoveryCode: (accountId, userId, hash, challengeHash) =>
      db.transact(function* (): Transaction<'used' | 'wrong' | 'challenge_invalid'> {
        const challenge = { accountId, userId, challengeHash }
        const [found] = yield* run(lockChallenge, challenge)
        if (found === undefined) return 'challenge_invalid'
        const [used] = yield* run(useCode, { accountId, userId, hash })
        if (used === undefined) return 'wrong'
        yield* run(endChallenge, challenge)
        return 'used'
      }),
  }
}

import type { Db } from '../../../sql/db.ts'
import type { MfaStore } from '../store.ts'
import { createChallengeQueries } from './challenge-queries.ts'
import { createMfaQueries } from './mfa-queries.ts'
import { createRecoveryCodeQueries } from './recovery-code-queries.ts'

export function createMfaStore(db: Db): MfaStore {
  return {
    ...createMfaQueries(db),
    ...createRecoveryCodeQueries(db),
    ...createChallengeQueries(db),
  }
}

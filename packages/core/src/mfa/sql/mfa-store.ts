import type { Db } from '../../sql/db.ts'
import type { MfaStore } from '../store.ts'
import { createChallengeQueries } from './challenge-queries.ts'
import { createMfaQueries } from './mfa-queries.ts'

export function createMfaStore(db: Db): MfaStore {
  return { ...createMfaQueries(db), ...createChallengeQueries(db) }
}

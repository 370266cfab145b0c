import type { Db } from '../../sql/db.ts'
import type { UserStore } from '../../users/store.ts'
import type { ApiKeyStore } from '../store.ts'
import { createApiKeyLookUp } from './api-key-look-up.ts'
import { createApiKeyQueries } from './api-key-queries.ts'

export function createApiKeyStore(db: Db, users: Pick<UserStore, 'findSubject'>): ApiKeyStore {
  return { ...createApiKeyQueries(db), ...createApiKeyLookUp(db, users.findSubject) }
}

import type { Db } from '../../../sql/db.ts'
import type { ApiKeyStore } from '../store.ts'
import { createApiKeyLookUp } from './api-key-look-up.ts'
import { createApiKeyQueries } from './api-key-queries.ts'

export function createApiKeyStore(db: Db): ApiKeyStore {
  return { ...createApiKeyQueries(db), ...createApiKeyLookUp(db) }
}

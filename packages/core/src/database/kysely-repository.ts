import type { Repository } from '../repository.ts'
import { createAccountChanges } from './account-changes.ts'
import { createAccountQueries } from './account-queries.ts'
import { createApiKeyLookUp } from './api-key-look-up.ts'
import { createChallengeQueries } from './challenge-queries.ts'
import type { Database } from './database.ts'
import { createGuessCountQueries } from './guess-count-queries.ts'
import { createIssuerQueries } from './issuer-queries.ts'
import { createMailedTokenQueries } from './mailed-token-queries.ts'
import { listMissingMigrations, migrate } from './migrate.ts'
import { createPing } from './ping.ts'
import { createSessionQueries } from './session-queries.ts'
import { createSigningKeyQueries } from './signing-key-queries.ts'
import { createTransferQueries } from './transfer-queries.ts'
import { createTwoFactorQueries } from './two-factor-queries.ts'
import { UserCounts } from './user-counts.ts'
import { createUserListQueries } from './user-list-queries.ts'
import { createUserQueries } from './user-queries.ts'

/** The repository's queries, written once for both databases. */
export function createKyselyRepository(database: Database): Repository {
  const counts = new UserCounts(database)
  const users = createUserQueries(database, counts)
  return {
    ...createAccountQueries(database),
    ...createAccountChanges(database, counts),
    ...createApiKeyLookUp(database, users.findSubject),
    ...users,
    ...createUserListQueries(database, counts),
    ...createSessionQueries(database),
    ...createTransferQueries(database, counts),
    ...createTwoFactorQueries(database),
    ...createChallengeQueries(database),
    ...createMailedTokenQueries(database),
    ...createGuessCountQueries(database),
    ...createSigningKeyQueries(database),
    ...createIssuerQueries(database),
    migrate: () => migrate(database),
    missingMigrations: () => listMissingMigrations(database),
    ping: createPing(database),
    recountUsers: (accountId) => counts.rebuild(accountId),
    close: async () => {
      await counts.settle()
      await database.driver.close()
    },
  }
}

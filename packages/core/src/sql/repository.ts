import type { Repository } from '../repository.ts'
import { createAccountChanges } from '../accounts/sql/account-changes.ts'
import { createAccountQueries } from '../accounts/sql/account-queries.ts'
import { createApiKeyLookUp } from '../api-keys/sql/api-key-look-up.ts'
import { createChallengeQueries } from '../mfa/sql/challenge-queries.ts'
import type { Database } from './db.ts'
import { createGuessCountQueries } from '../rate-limits/sql.ts'
import { createIssuerQueries } from '../trusted-issuers/sql.ts'
import { createMailedTokenQueries } from '../email-tokens/sql.ts'
import { listMissingMigrations, migrate } from './migrate.ts'
import { createPing } from './ping.ts'
import { createSessionQueries } from '../sessions/sql.ts'
import { createSigningKeyQueries } from '../signing-keys/sql.ts'
import { createTransferQueries } from '../import-export/sql/export-queries.ts'
import { createTwoFactorQueries } from '../mfa/sql/mfa-queries.ts'
import { UserCounts } from '../users/counts/sql/user-counts.ts'
import { createUserListQueries } from '../users/sql/user-list-queries.ts'
import { createUserQueries } from '../users/sql/user-queries.ts'

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

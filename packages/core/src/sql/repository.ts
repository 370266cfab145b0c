import { createAccountChanges } from '../accounts/sql/account-changes.ts'
import { createAccountQueries } from '../accounts/sql/account-queries.ts'
import { createApiKeyLookUp } from '../api-keys/sql/api-key-look-up.ts'
import { createEmailTokenQueries } from '../email-tokens/sql.ts'
import { createImportExportQueries } from '../import-export/sql/export-queries.ts'
import { createChallengeQueries } from '../mfa/sql/challenge-queries.ts'
import { createMfaQueries } from '../mfa/sql/mfa-queries.ts'
import { createRateLimitQueries } from '../rate-limits/sql.ts'
import type { Repository } from '../repository.ts'
import { createSessionQueries } from '../sessions/sql.ts'
import { createSigningKeyQueries } from '../signing-keys/sql.ts'
import { createIssuerQueries } from '../trusted-issuers/sql.ts'
import { UserCounts } from '../users/counts/sql/user-counts.ts'
import { createUserListQueries } from '../users/sql/user-list-queries.ts'
import { createUserQueries } from '../users/sql/user-queries.ts'
import type { Db } from './db.ts'
import { listMissingMigrations, migrate } from './migrate.ts'
import { createPing } from './ping.ts'

/** The repository's queries, written once for both databases. */
export function createKyselyRepository(db: Db): Repository {
  const counts = new UserCounts(db)
  const users = createUserQueries(db, counts)
  return {
    ...createAccountQueries(db),
    ...createAccountChanges(db, counts),
    ...createApiKeyLookUp(db, users.findSubject),
    ...users,
    ...createUserListQueries(db, counts),
    ...createSessionQueries(db),
    ...createImportExportQueries(db, counts),
    ...createMfaQueries(db),
    ...createChallengeQueries(db),
    ...createEmailTokenQueries(db),
    ...createRateLimitQueries(db),
    ...createSigningKeyQueries(db),
    ...createIssuerQueries(db),
    migrate: () => migrate(db),
    missingMigrations: () => listMissingMigrations(db),
    ping: createPing(db),
    recountUsers: (accountId) => counts.rebuild(accountId),
    close: async () => {
      await counts.settle()
      await db.driver.close()
    },
  }
}

import { createAccountLifecycleStore } from '../capabilities/account-lifecycle/sql.ts'
import { createAccountStore } from '../capabilities/accounts/sql/account-store.ts'
import { createApiKeyStore } from '../capabilities/api-keys/sql/api-key-store.ts'
import { createEmailTokenStore } from '../capabilities/email-tokens/sql.ts'
import { createEventStore } from '../capabilities/events/sql/event-store.ts'
import { createIdempotencyStore } from '../capabilities/idempotency/sql/idempotency-store.ts'
import { createIdentityStore } from '../capabilities/identities/sql/identity-store.ts'
import { createImportExportStore } from '../capabilities/import-export/sql/import-export-store.ts'
import { createMfaStore } from '../capabilities/mfa/sql/mfa-store.ts'
import { createPasskeyStore } from '../capabilities/passkeys/sql/passkey-store.ts'
import { createPersonalDataStore } from '../capabilities/personal-data/sql/personal-data-store.ts'
import { createRateLimitCountStore } from '../capabilities/rate-limits/sql.ts'
import { createSessionStore } from '../capabilities/sessions/sql.ts'
import { createSignInStore } from '../capabilities/sign-in/sql.ts'
import { createSigningKeyStore } from '../capabilities/signing-keys/sql.ts'
import { createTrustedIssuerStore } from '../capabilities/trusted-issuers/sql.ts'
import { UserCounts } from '../capabilities/users/counts/sql/user-counts.ts'
import { createUserStore } from '../capabilities/users/sql/user-store.ts'
import { createWebhookStore } from '../capabilities/webhooks/sql/webhook-store.ts'
import { createConsoleStore } from '../console/sql/console-store.ts'
import { Db, type Driver, type OpenTransaction } from '../sql/db.ts'
import { JoinedRunner } from '../sql/joined-runner.ts'
import { listMissingMigrations, migrate } from '../sql/migrations/migrate.ts'
import { createPing } from '../sql/ping.ts'
import type { HostTransactions, Repository, Stores } from './repository.ts'
import { createSecretStore } from './secret-store.ts'
import { createSweep } from './sweep.ts'

/** Every capability's part of the port, written once for all databases. */
export function createKyselyRepository(
  driver: Driver,
  { localSecret }: Pick<Repository['storage'], 'localSecret'> = {},
): Repository {
  const db = new Db(driver)
  const counts = new UserCounts(db)
  return {
    ...createStores(db, counts),
    storage: {
      system: driver.system,
      poolLoad: () => driver.readPoolLoad?.(),
      migrate: async () => {
        const applied = await migrate(db, driver)
        await driver.learnPlace?.()
        return applied
      },
      missingMigrations: async () => {
        const missing = await listMissingMigrations(db, driver)
        await driver.learnPlace?.()
        return missing
      },
      ...createSecretStore(db),
      sweep: createSweep(db),
      ping: createPing(db, driver),
      close: async () => {
        await counts.settle()
        await driver.close()
      },
      ...(localSecret !== undefined && { localSecret }),
      host: createHostTransactions(driver),
    },
  }
}

function createStores(db: Db, counts: UserCounts): Stores {
  const users = createUserStore(db, counts)
  const events = createEventStore(db)
  return {
    accountLifecycle: createAccountLifecycleStore(db),
    accounts: createAccountStore(db),
    apiKeys: createApiKeyStore(db),
    users,
    sessions: createSessionStore(db),
    identities: createIdentityStore(db, counts),
    signIn: createSignInStore(db),
    mfa: createMfaStore(db),
    passkeys: createPasskeyStore(db),
    emailTokens: createEmailTokenStore(db),
    events,
    rateLimits: createRateLimitCountStore(db),
    importExport: createImportExportStore(db, counts),
    console: createConsoleStore(db, counts),
    idempotency: createIdempotencyStore(db),
    personalData: createPersonalDataStore(db, counts, events),
    signingKeys: createSigningKeyStore(db),
    trustedIssuers: createTrustedIssuerStore(db),
    webhooks: createWebhookStore(db, events),
  }
}

function createHostTransactions(driver: Driver): HostTransactions {
  return {
    open: (handle) => driver.openHandle(handle),
    join: () => {
      const runner = new JoinedRunner(driver)
      const db = new Db(runner)
      // Beside the call there is nothing to write with: the counts are folded by those who are in no transaction.
      const stores = createStores(db, new UserCounts(db, { foldsBeside: false }))
      return {
        stores,
        // `open` is the only one that makes transactions.
        run: (transaction: OpenTransaction, call) => runner.run(transaction, call),
      }
    },
  }
}

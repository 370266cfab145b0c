import { UserCounts } from '../capabilities/users/counts/sql/user-counts.ts'
import { Db } from '../sql/db.ts'
import type { Driver, OpenTransaction } from '../sql/driver.ts'
import { JoinedRunner } from '../sql/joined-runner.ts'
import { learnDistribution } from '../sql/migrations/distribute.ts'
import { listMissingMigrations, migrate } from '../sql/migrations/migrate.ts'
import { createPing } from '../sql/ping.ts'
import { createReadTime } from '../sql/server-time.ts'
import { createFindNewestEvent } from './newest-event.ts'
import type { HostTransactions, Repository } from './repository.ts'
import { createSecretStore } from './secret-store.ts'
import { createStores } from './stores.ts'
import { createSweep } from './sweep.ts'

/** Combines the stores of every capability, written once for all databases. */
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
      waitingWrites: driver.countWaitingWrites?.bind(driver),
      migrate: async (options) => {
        const applied = await migrate(db, driver, options)
        await driver.learnPlace?.()
        await learnDistribution(db, driver)
        return applied
      },
      missingMigrations: async () => {
        const missing = await listMissingMigrations(db, driver)
        await driver.learnPlace?.()
        await learnDistribution(db, driver)
        return missing
      },
      ...createSecretStore(db),
      sweep: createSweep(db),
      readTime: createReadTime(db),
      findNewestEvent: createFindNewestEvent(db),
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

function createHostTransactions(driver: Driver): HostTransactions {
  return {
    open: (handle) => driver.openHandle(handle),
    join: () => {
      const runner = new JoinedRunner(driver)
      const db = new Db(runner)
      // Counts are not folded inside of a host's transaction: calls outside of transactions do that.
      const stores = createStores(db, new UserCounts(db, { foldsBeside: false }))
      return {
        stores,
        // Only `open` creates transactions.
        run: (transaction: OpenTransaction, call) => runner.run(transaction, call),
      }
    },
  }
}

import type { Db } from '../db.ts'
import type { Driver } from '../driver.ts'
import type { Migration } from '../migration.ts'
import { run, Statement, type Transaction } from '../statement.ts'
import { initial } from './0001-initial.ts'
import { ceremonySessions } from './0002-ceremony-sessions.ts'
import { newsIndexes } from './0003-news-indexes.ts'
import { importTimes } from './0004-import-times.ts'
import { accountNames } from './0005-account-names.ts'
import { authenticationTimes } from './0006-authentication-times.ts'
import { accountPolicies } from './0007-account-policies.ts'
import { signInCodes } from './0008-sign-in-codes.ts'
import { devices } from './0009-devices.ts'
import { impersonations } from './0010-impersonations.ts'
import { scim } from './0011-scim.ts'
import { userTokens } from './0012-user-tokens.ts'
import { emailChanges } from './0013-email-changes.ts'
import { expectedSizes } from './0014-expected-sizes.ts'
import { exchangedTokens } from './0015-exchanged-tokens.ts'
import { actors } from './0016-actors.ts'
import { waitingTests } from './0017-waiting-tests.ts'
import { formerRoles } from './0018-former-roles.ts'
import { factorChanges } from './0019-factor-changes.ts'
import { scimLeases } from './0020-scim-leases.ts'
import { formerMembers } from './0021-former-members.ts'
import { subjectIndex } from './0022-subject-index.ts'
import { attemptIndex } from './0023-attempt-index.ts'
import { assertDistributable, beginDistributed, distributeMissing } from './distribute.ts'

const table = 'clientele_migrations'
const migrations: readonly Migration[] = [
  initial,
  ceremonySessions,
  newsIndexes,
  importTimes,
  accountNames,
  authenticationTimes,
  accountPolicies,
  signInCodes,
  devices,
  impersonations,
  scim,
  userTokens,
  emailChanges,
  expectedSizes,
  exchangedTokens,
  actors,
  waitingTests,
  formerRoles,
  factorChanges,
  scimLeases,
  formerMembers,
  subjectIndex,
  attemptIndex,
]

interface MigrationStatements {
  list: Statement<object, { name: string }>
  note: Statement<{ name: string; at: number }, unknown>
}

/** Returns the names of the missing steps, in order. Takes no lock and writes nothing. */
export async function listMissingMigrations(db: Db, driver: Driver): Promise<string[]> {
  const found = await driver.query(driver.findTable(table))
  const applied = found.length === 0 ? [] : await db.query(createStatements(db).list, {})
  return without(applied).map(({ name }) => name)
}

/**
 * Applies the missing steps in one transaction and returns their names. Any number of processes may do so at once: each
 * waits for the one before and then finds nothing left to do. When no step is missing, read access is enough.
 *
 * With `distribute`, or if some tables are distributed already, the others are distributed after the steps: the result
 * lists each as `distribute` and its name.
 *
 * Kysely's own migrator is not used because its lock does nothing on SQLite.
 */
export async function migrate(
  db: Db,
  driver: Driver,
  { distribute = false }: { distribute?: boolean } = {},
): Promise<string[]> {
  const { features } = db
  const statements = createStatements(db)
  if (distribute) await assertDistributable(db, driver)
  else if ((await listMissingMigrations(db, driver)).length === 0) return []
  return db.transact(function* (): Transaction<string[]> {
    for (const step of driver.migrationLock()) yield step
    const missing = yield* findMissing(driver, statements)
    const isDistributed = yield* beginDistributed(db, driver)
    if (missing.length === migrations.length) {
      yield* driver.makeSchema()
      yield* run(createTable(db), {})
    }
    for (const migration of missing) {
      for (const query of migration.up(db.queries, features)) {
        yield* run(new Statement<object, unknown>(() => query.compile()), {})
      }
      yield* run(statements.note, { name: migration.name, at: Date.now() })
    }
    const names = missing.map(({ name }) => name)
    if (!distribute && !isDistributed) return names
    const distributed = yield* distributeMissing(driver)
    return [...names, ...distributed.map((table) => `distribute ${table}`)]
  })
}

function* findMissing(
  driver: Driver,
  { list }: MigrationStatements,
): Transaction<readonly Migration[]> {
  const found = yield driver.findTable(table)
  return without(found.length === 0 ? [] : yield* run(list, {}))
}

function without(applied: readonly { name: string }[]): readonly Migration[] {
  const names = new Set(applied.map(({ name }) => name))
  return migrations.filter(({ name }) => !names.has(name))
}

function createStatements(db: Db): MigrationStatements {
  return {
    list: db.statement<object>()((queries) => queries.selectFrom(table).select('name')),
    note: db.statement<{ name: string; at: number }>()((queries, value) =>
      queries.insertInto(table).values({ name: value('name'), applied_at: value('at') }),
    ),
  }
}

function createTable({ queries, features }: Db): Statement<object, unknown> {
  const query = queries.schema
    .createTable(table)
    .ifNotExists()
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('applied_at', features.types.time, (column) => column.notNull())
  return new Statement<object, unknown>(() => query.compile())
}

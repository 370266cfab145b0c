import { type Database, run, Statement, type Transaction } from './db.ts'
import { accountsAndUsers } from './migrations/0001-accounts-and-users.ts'
import { sessionsAndSigningKeys } from './migrations/0002-sessions-and-signing-keys.ts'
import { userCounts } from './migrations/0003-user-counts.ts'
import { secondFactors } from './migrations/0004-second-factors.ts'
import { guessCounts } from './migrations/0006-guess-counts.ts'
import { trustedIssuers } from './migrations/0007-trusted-issuers.ts'
import { imports } from './migrations/0008-imports.ts'
import { mailedTo } from './migrations/0009-mailed-to.ts'
import { tokenLives } from './migrations/0010-token-lives.ts'
import { replacedKeys } from './migrations/0011-replaced-keys.ts'
import { userWords } from './migrations/0012-user-words.ts'
import { disabledAccounts } from './migrations/0014-disabled-accounts.ts'
import { sessionTokens } from './migrations/0016-session-tokens.ts'
import { issuerRules } from './migrations/0018-issuer-rules.ts'
import type { Migration } from './migrations/migration.ts'

const table = 'clientele_migrations'
const migrations: readonly Migration[] = [
  accountsAndUsers,
  sessionsAndSigningKeys,
  userCounts,
  secondFactors,
  guessCounts,
  trustedIssuers,
  imports,
  mailedTo,
  tokenLives,
  replacedKeys,
  userWords,
  disabledAccounts,
  sessionTokens,
  issuerRules,
]

interface MigrationStatements {
  list: Statement<object, { name: string }>
  note: Statement<{ name: string; at: number }, unknown>
}

/** Answers with the names of the steps that are missing, in their order. Takes no lock and writes nothing. */
export async function listMissingMigrations(database: Database): Promise<string[]> {
  const { driver } = database
  const found = await driver.query(driver.findTable(table))
  const applied =
    found.length === 0 ? [] : await database.query(createStatements(database).list, {})
  return without(applied).map(({ name }) => name)
}

/**
 * Applies the steps that are missing, all in one transaction, and answers with their names. Any number of processes
 * may do so at once: each waits for the one before, then finds nothing left to do. Where nothing is missing, the right
 * to read is enough.
 *
 * Kysely's own migrator is not used because its lock does nothing on SQLite.
 */
export async function migrate(database: Database): Promise<string[]> {
  const { differences, driver } = database
  const statements = createStatements(database)
  if ((await listMissingMigrations(database)).length === 0) return []
  return database.transact(function* (): Transaction<string[]> {
    for (const step of driver.migrationLock()) yield step
    const missing = yield* findMissing(database, statements)
    if (missing.length === migrations.length) {
      yield* driver.makeSchema()
      yield* run(createTable(database), {})
    }
    for (const migration of missing) {
      for (const query of migration.up(database.queries, differences)) {
        yield* run(new Statement<object, unknown>(() => query.compile()), {})
      }
      yield* run(statements.note, { name: migration.name, at: Date.now() })
    }
    return missing.map(({ name }) => name)
  })
}

function* findMissing(
  { driver }: Database,
  { list }: MigrationStatements,
): Transaction<readonly Migration[]> {
  const found = yield driver.findTable(table)
  return without(found.length === 0 ? [] : yield* run(list, {}))
}

function without(applied: readonly { name: string }[]): readonly Migration[] {
  const names = new Set(applied.map(({ name }) => name))
  return migrations.filter(({ name }) => !names.has(name))
}

function createStatements(database: Database): MigrationStatements {
  return {
    list: database.statement<object>()((queries) => queries.selectFrom(table).select('name')),
    note: database.statement<{ name: string; at: number }>()((queries, value) =>
      queries.insertInto(table).values({ name: value('name'), applied_at: value('at') }),
    ),
  }
}

function createTable({ queries, differences }: Database): Statement<object, unknown> {
  const query = queries.schema
    .createTable(table)
    .ifNotExists()
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('applied_at', differences.types.time, (column) => column.notNull())
  return new Statement<object, unknown>(() => query.compile())
}

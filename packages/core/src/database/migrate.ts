import { sql } from 'kysely'
import { type Database, type Queries, run, Statement, type Transaction } from './database.ts'
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
import type { Migration } from './migrations/migration.ts'

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
]

/**
 * Applies the steps that are missing, all in one transaction, and answers with their names. Any number of processes
 * may do so at once: each waits for the one before, then finds nothing left to do.
 *
 * Kysely's own migrator is not used because its lock does nothing on SQLite.
 */
export async function migrate(database: Database): Promise<string[]> {
  const { differences, driver } = database
  const createTable = fixed(database, ({ schema }) =>
    schema
      .createTable('clientele_migrations')
      .ifNotExists()
      .addColumn('name', 'text', (column) => column.primaryKey())
      .addColumn('applied_at', differences.types.time, (column) => column.notNull()),
  )
  const listApplied = fixed(database, (queries) =>
    queries.selectFrom('clientele_migrations').select('name'),
  )
  const note = database.statement<{ name: string; at: number }>()((queries, value) =>
    queries
      .insertInto('clientele_migrations')
      .values({ name: value('name'), applied_at: value('at') }),
  )

  return database.transact(function* (): Transaction<string[]> {
    for (const step of driver.migrationLock()) yield step
    if (driver.schema !== undefined) {
      const { schema } = driver
      yield* run(
        fixed(database, (queries) => ({
          compile: () => sql`create schema if not exists ${sql.id(schema)}`.compile(queries),
        })),
        {},
      )
    }
    yield* run(createTable, {})
    const applied = new Set((yield* run(listApplied, {})).map((row) => row.name))
    const missing = migrations.filter((migration) => !applied.has(migration.name))
    for (const migration of missing) {
      for (const query of migration.up(database.queries, differences)) {
        yield* run(new Statement<object, unknown>(() => query.compile()), {})
      }
      yield* run(note, { name: migration.name, at: Date.now() })
    }
    return missing.map((migration) => migration.name)
  })
}

/** A statement without input; the only rows that any of them returns are names. */
function fixed(
  database: Database,
  build: (queries: Queries) => { compile(): { sql: string; parameters: readonly unknown[] } },
): Statement<object, { name: string }> {
  return new Statement<object, { name: string }>(() => build(database.queries).compile())
}

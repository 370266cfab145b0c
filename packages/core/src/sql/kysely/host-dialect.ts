import {
  type Dialect,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import type { DialectFeatures } from '../dialect-features.ts'
import type { Driver } from '../driver.ts'
import * as postgresCatalog from '../postgres/catalog.ts'
import { mayRunAgain, pauseAfterConflict } from '../postgres/conflicts.ts'
import * as postgresFaults from '../postgres/faults.ts'
import { postgresFeatures } from '../postgres/features.ts'
import * as sqliteCatalog from '../sqlite/catalog.ts'
import * as sqliteFaults from '../sqlite/faults.ts'
import { sqliteFeatures } from '../sqlite/features.ts'
import { pause } from '../sqlite/group-commit.ts'
import type { CompiledQuery, Transaction } from '../statement.ts'
import {
  createPostgresHandles,
  createSqliteHandles,
  type HostHandles,
  type HostInstance,
} from './host-handles.ts'

/** How the databases behind a host's Kysely differ, in addition to the features that queries ask for. */
export interface HostDialect {
  readonly system: Driver['system']
  readonly features: DialectFeatures
  readonly dialect: Pick<Dialect, 'createAdapter' | 'createQueryCompiler' | 'createIntrospector'>
  /**
   * The first statement of a transaction. Its fault is ignored: before the first migration the table does not exist.
   */
  readonly opening?: CompiledQuery
  readonly migrationLock: readonly CompiledQuery[]
  /** Runs once; explains why this kind of connection cannot be used. */
  readonly check: CompiledQuery & { explain(rows: readonly unknown[]): string | undefined }
  findTable(schema: string | undefined, name: string): CompiledQuery
  makeSchema(schema: string | undefined): Transaction<void>
  createHandles(instance: HostInstance): HostHandles
  /** Translates a fault into the error that callers get */
  translate(error: unknown): unknown
  isLockTimeout(error: unknown): boolean
  /** Waits before another attempt. Returns false when another attempt is useless or would come after the deadline. */
  waitToRetry(
    error: unknown,
    attempt: number,
    deadline: number,
    hasSnapshot: boolean,
  ): Promise<boolean>
}

const postgres: HostDialect = {
  system: 'postgresql',
  features: postgresFeatures,
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createQueryCompiler: () => new PostgresQueryCompiler(),
    createIntrospector: (db) => new PostgresIntrospector(db),
  },
  migrationLock: [postgresCatalog.lockMigrations()],
  check: {
    sql: 'select json_typeof(cast($1 as json)) as kind',
    parameters: ['[]'],
    // postgres.js would encode a string as JSON a second time.
    explain: ([row]) =>
      Reflect.get(Object(row), 'kind') === 'array'
        ? undefined
        : 'Your driver encodes JSON texts as JSON a second time: see guides/kysely.md for the setting.',
  },
  findTable: postgresCatalog.findTable,
  makeSchema: postgresCatalog.makeSchema,
  createHandles: createPostgresHandles,
  translate: postgresFaults.translate,
  isLockTimeout: (error) =>
    error instanceof Error && postgresFaults.stateOf(error.cause) === '55P03',
  waitToRetry: async (error, attempt, _deadline, hasSnapshot) => {
    if (!mayRunAgain(error, attempt, hasSnapshot)) return false
    await pauseAfterConflict(attempt)
    return true
  },
}

const sqlite: HostDialect = {
  system: 'sqlite',
  features: sqliteFeatures,
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createIntrospector: (db) => new SqliteIntrospector(db),
  },
  // A Kysely transaction takes the lock with its first write, and fails there when another process has written since
  // its first read. So it begins with a write that changes nothing.
  opening: sqliteCatalog.writeNothing,
  migrationLock: [],
  check: {
    sql: 'pragma foreign_keys',
    parameters: [],
    // Without foreign keys a user's rows would outlive the user.
    explain: ([row]) =>
      Number(Reflect.get(Object(row), 'foreign_keys')) === 1
        ? undefined
        : "Turn foreign keys on, on every connection of your Kysely instance: 'pragma foreign_keys = on'.",
  },
  findTable: (_, name) => sqliteCatalog.findTable(name),
  *makeSchema() {},
  createHandles: createSqliteHandles,
  translate: sqliteFaults.translate,
  isLockTimeout: () => false,
  waitToRetry: async (error, attempt, deadline) => {
    if (!sqliteFaults.isBusy(error) || performance.now() >= deadline) return false
    await pause(attempt)
    return true
  },
}

export const hostDialects = { postgres, sqlite }

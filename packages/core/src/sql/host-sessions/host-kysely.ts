import type { CompiledQuery } from '../db.ts'
import { normalizeRows } from '../normalize-rows.ts'
import { toSqlite } from '../to-sqlite.ts'

/** A query of ours, as every version of Kysely takes it. */
export interface KyselyQuery {
  readonly sql: string
  readonly parameters: readonly unknown[]
  readonly query: {
    readonly kind: 'RawNode'
    readonly sqlFragments: readonly string[]
    readonly parameters: readonly never[]
  }
  readonly queryId: { readonly queryId: string }
}

/** What we use of an instance of Kysely or of its transaction to run a query, typed by structure. */
export interface KyselyRunner {
  executeQuery(query: KyselyQuery): Promise<{ readonly rows: readonly unknown[] }>
  /** A plugin could rename columns, or read what is text as JSON */
  withoutPlugins(): KyselyRunner
}

/** What we use of a host's instance of Kysely. */
export interface KyselyInstance extends KyselyRunner {
  readonly isTransaction: boolean
  withoutPlugins(): KyselyInstance
  transaction(): KyselyTransactionBuilder
}

export interface KyselyTransactionBuilder {
  setIsolationLevel(level: 'repeatable read'): KyselyTransactionBuilder
  execute<T>(work: (transaction: KyselyRunner) => Promise<T>): Promise<T>
}

export type KyselyDialectName = 'postgres' | 'sqlite'

/**
 * Runs a step through the host's Kysely, and answers as our own drivers do. `runner` is without plugins. Its faults are
 * those of the host's driver: `translate` of `postgres/faults.ts` and of `sqlite/faults.ts` know them.
 */
export async function runOnKysely(
  runner: KyselyRunner,
  dialect: KyselyDialectName,
  step: CompiledQuery,
): Promise<unknown[]> {
  const { rows } = await runner.executeQuery(toKyselyQuery(step, dialect))
  return normalizeRows(rows)
}

let lastId = 0

function toKyselyQuery(
  { sql, parameters }: CompiledQuery,
  dialect: KyselyDialectName,
): KyselyQuery {
  return {
    sql,
    // Texts, numbers, flags and null, which every driver for PostgreSQL takes. SQLite has no flags.
    parameters: dialect === 'sqlite' ? toSqlite(parameters) : parameters,
    query: { kind: 'RawNode', sqlFragments: [sql], parameters: [] },
    queryId: { queryId: `clientele-${++lastId}` },
  }
}

import type { IsolationLevel } from '../isolation-level.ts'
import { normalizeRows } from '../normalize-rows.ts'
import type { CompiledQuery } from '../statement.ts'
import { toSqlite } from '../to-sqlite.ts'

/** A query in a form that every version of Kysely takes. */
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

/** The members of a Kysely instance or transaction that we use to run a query, typed by structure. */
export interface KyselyRunner {
  executeQuery(query: KyselyQuery): Promise<{ readonly rows: readonly unknown[] }>
  /** A plugin could rename columns or parse text as JSON */
  withoutPlugins(): KyselyRunner
}

/** The members of a host's Kysely instance that we use. */
export interface KyselyInstance extends KyselyRunner {
  readonly isTransaction: boolean
  withoutPlugins(): KyselyInstance
  transaction(): KyselyTransactionBuilder
}

export interface KyselyTransactionBuilder {
  setIsolationLevel(level: IsolationLevel): KyselyTransactionBuilder
  execute<T>(work: (transaction: KyselyRunner) => Promise<T>): Promise<T>
}

export type KyselyDialectName = 'postgres' | 'sqlite'

/**
 * Runs a statement through the host's Kysely and returns rows as our own drivers do. `runner` has no plugins. It
 * rejects with the faults of the host's driver, which `translate` in `postgres/faults.ts` and `sqlite/faults.ts`
 * recognises.
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
    // Strings, numbers, booleans and null, which every PostgreSQL driver takes. SQLite has no booleans.
    parameters: dialect === 'sqlite' ? toSqlite(parameters) : parameters,
    query: { kind: 'RawNode', sqlFragments: [sql], parameters: [] },
    queryId: { queryId: `clientele-${++lastId}` },
  }
}

import { type Compilable, type QueryCreator, sql } from 'kysely'
import { type Db, type ParameterOf, run, type Statement, type Transaction } from './db.ts'
import type { ColumnKind } from './dialect-features.ts'
import type { Database } from './tables/tables.ts'

/** The key of a row that a write has changed, in most tables */
export interface RowKey {
  account_id: string
  id: string
}

/** The tables, and `changed`: the rows that the write has changed, with the columns that it hands on. */
export type DatabaseWithChanged<Changed = RowKey> = Database & { changed: Changed }

/**
 * A statement that follows from a write, in another table: it ends, counts or notes something. It reads from the table
 * `changed` which rows were written, and takes part in the write: both are committed, or neither is.
 *
 * An event is an effect too: `insert into … select … from changed`.
 */
export type Effect<Input, Changed = RowKey> = (
  queries: QueryCreator<DatabaseWithChanged<Changed>>,
  value: ParameterOf<Input>,
) => Compilable<unknown>

/**
 * How an effect names rows of another table that belong to what changed: `where('user_id', changedBy(db), id of changed)`.
 * Where effects are run for one row at a time, a single value is found by its index; for a list SQLite, which knows
 * nothing of a table's size, walks through the account.
 */
export function changedBy(db: Db): '=' | 'in' {
  return db.features.supportsWritableCte ? 'in' : '='
}

/** An effect, whatever it reads from `changed` */
type AnyEffect<Input> = (queries: never, value: ParameterOf<Input>) => Compilable<unknown>

type Change<Input, Row> = (
  queries: QueryCreator<Database>,
  value: ParameterOf<Input>,
) => Compilable<Row>

interface WriteOptions {
  /**
   * Whether the effects must see what was committed while the change waited for its row. The parts of one statement all
   * see the moment at which it began; the statements of a transaction see a moment each.
   */
  seesLatest?: boolean
}

/** The columns of `changed` with their kinds, out of what the change returns */
type ChangedColumns<Row> = { [Column in keyof Row & string]?: ColumnKind }

/**
 * Every change that somebody can be told of is written like this; its consequences are the list of its effects. What
 * nobody is told of (a password hashed anew, a secret encrypted anew, a try or a use that is counted) is a plain
 * statement, and a batch of users, which comes as one list, has statements of its own.
 *
 * `changed` has the columns `account_id` and `id`, or those that `columns` names.
 * Written so:
 * const deleteUser = writeWithEffects<UserKey>(db)(
 *   (queries, value) => queries.deleteFrom('clientele_users')….returning(['account_id', 'id']),
 *   [noteCount(-1)],
 * )
 */
export function writeWithEffects<Input extends object>(db: Db) {
  type Effects = readonly AnyEffect<Input>[]
  function write<Row extends object>(change: Change<Input, Row>): WriteWithEffects<Input, Row>
  function write<Row extends RowKey>(
    change: Change<Input, Row>,
    effects: Effects,
    options?: WriteOptions,
  ): WriteWithEffects<Input, Row>
  function write<Row extends object>(
    change: Change<Input, Row>,
    effects: Effects,
    options: WriteOptions & { columns: ChangedColumns<Row> },
  ): WriteWithEffects<Input, Row>
  function write<Row extends object>(
    change: Change<Input, Row>,
    effects: Effects = [],
    options: WriteOptions & { columns?: ChangedColumns<Row> } = {},
  ) {
    return new WriteWithEffects(db, change, effects, options)
  }
  return write
}

/** A change and its effects: one statement where the database can, a transaction where it can't. */
export class WriteWithEffects<Input extends object, Row extends object> {
  readonly #db: Db
  /** The change; with its effects, where one statement can write to several tables */
  readonly #change: Statement<Input, Row>
  /** What is run after the change, for each row that it returned */
  readonly #rest: Statement<object, unknown>[]
  readonly #columns: [name: string, kind: ColumnKind][]

  constructor(
    db: Db,
    change: Change<Input, Row>,
    effects: readonly AnyEffect<Input>[],
    { seesLatest = false, columns }: WriteOptions & { columns?: ChangedColumns<Row> },
  ) {
    this.#db = db
    this.#columns = Object.entries(columns ?? { account_id: 'id', id: 'id' }) as [
      string,
      ColumnKind, // no column is undefined
    ][]
    if (effects.length === 0 || (db.features.supportsWritableCte && !seesLatest)) {
      this.#change = db.statement<Input>()((queries, value) =>
        effects.length === 0
          ? change(queries, value)
          : withEffects(queries, value, change, effects),
      )
      this.#rest = []
      return
    }
    this.#change = db.statement<Input>()(change)
    this.#rest = effectStatements<Record<string, unknown>>(
      db,
      (queries, value) =>
        queries.selectNoFrom(
          this.#columns.map(([name, kind]) => db.typed(value(parameterOf(name)), kind).as(name)),
        ),
      effects as readonly AnyEffect<Record<string, unknown>>[], // the input is among the values that they are run with
    )
  }

  /** Answers with the row that was written; undefined when none was, and then nothing followed. */
  async execute(input: Input): Promise<Row | undefined> {
    const [row] = await this.executeAll(input)
    return row
  }

  /** The same for a change of any number of rows. */
  async executeAll(input: Input): Promise<Row[]> {
    if (this.#rest.length === 0) return this.#db.query(this.#change, input)
    return this.#db.transact(() => this.run(input))
  }

  /** Writes as a part of a transaction. */
  *run(input: Input): Transaction<Row[]> {
    const rows = yield* run(this.#change, input)
    if (this.#rest.length === 0) return rows
    for (const row of rows) {
      const values = { ...input, ...this.#toParameters(row) }
      for (const statement of this.#rest) yield* run(statement, values)
    }
    return rows
  }

  #toParameters(row: Row): Record<string, unknown> {
    const written = row as Record<string, unknown> // read by the names of its own columns
    return Object.fromEntries(this.#columns.map(([name]) => [parameterOf(name), written[name]]))
  }
}

/** Apart from the names of the input */
function parameterOf(column: string): string {
  return `changed.${column}`
}

/**
 * The statements that run effects for rows which are known already: one, where the database can. Where it can't, they are
 * for one row at a time.
 */
export function effectStatements<Input>(
  db: Db,
  changed: (queries: QueryCreator<Database>, value: ParameterOf<Input>) => Compilable<unknown>,
  effects: readonly AnyEffect<Input>[],
): Statement<Input, unknown>[] {
  const withChanged = (queries: QueryCreator<Database>, value: ParameterOf<Input>) =>
    queries.with('changed', (q) => changed(q, value) as never) as never // the table's columns are the effects' to know
  if (!db.features.supportsWritableCte) {
    return effects.map((effect) =>
      db.statement<Input>()((queries, value) => effect(withChanged(queries, value), value)),
    )
  }
  return [
    db.statement<Input>()((queries, value) =>
      appendEffects(withChanged(queries, value), effects, value).selectNoFrom(
        sql.lit(1).as('done'),
      ),
    ),
  ]
}

/** One statement that makes a change, runs its effects, and returns what the change returned. */
function withEffects<Input, Row>(
  queries: QueryCreator<Database>,
  value: ParameterOf<Input>,
  change: Change<Input, Row>,
  effects: readonly AnyEffect<Input>[],
): Compilable<Row> {
  const changed = queries.with('changed', (q) => change(q, value) as never) as never // its rows are the table `changed`
  return appendEffects(changed, effects, value).selectFrom('changed').selectAll() as never // the rows of the change
}

/** Kysely's types follow one `with` after the other, not a list of them. */
function appendEffects<Input>(
  queries: QueryCreator<DatabaseWithChanged>,
  effects: readonly AnyEffect<Input>[],
  value: ParameterOf<Input>,
): QueryCreator<DatabaseWithChanged> {
  let query = queries
  for (const [index, effect] of effects.entries()) {
    query = query.with(`effect_${index}`, (q) => effect(q as never, value) as never) as never
  }
  return query
}

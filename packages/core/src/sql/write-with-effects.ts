import type { AliasedExpression, Compilable, InsertQueryBuilder } from 'kysely'
import type { Db } from './db.ts'
import type { ColumnKind } from './dialect-features.ts'
import {
  type AnyEffect,
  type Change,
  effectStatements,
  type ReadBeside,
  type RowKey,
  withEffects,
} from './effects.ts'
import { type CompiledQuery, run, type Statement, type Transaction, toStep } from './statement.ts'
import type { Database } from './tables/tables.ts'

/** A write of one row whose columns are known before it is written */
interface ForeknownWrite<Input, Row> {
  /**
   * The effects for that row, as statements that read no other table: a distributed database runs all of them at once.
   * `order`: the place of an event in the order in which events are written
   */
  effects: (input: Input, order: number) => CompiledQuery[]
  toRow: (input: Input) => Row
}

interface WriteOptions<Input, Row = RowKey> {
  foreknown?: ForeknownWrite<Input, Row>
  /**
   * Whether it must see what was committed before it, and the effects what was committed while the change waited for a
   * row lock. All parts of one statement see the state at its start; each statement of a transaction sees its own. In a
   * transaction of the host's that keeps a snapshot it is refused.
   */
  seesLatest?: boolean
  /**
   * A further column of the returned rows, with its value before the change. The change declares it. In RETURNING it
   * would be refused if tables are distributed.
   */
  readsBeside?: ReadBeside<Input>
}

/** The columns of `changed` and their kinds, from the rows that the change returns */
type ChangedColumns<Row> = { [Column in keyof Row & string]?: ColumnKind }

/**
 * Every change that produces events is written like this; its consequences are its list of effects. Changes without
 * events (a rehashed password, a re-encrypted secret, a counted attempt or use) are plain statements. A batch of users,
 * which comes as one list, has statements of its own.
 *
 * `changed` has the columns `account_id` and `id`, or those in `columns`.
 * Example:
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
    options?: WriteOptions<Input, Row>,
  ): WriteWithEffects<Input, Row>
  function write<Row extends object>(
    change: Change<Input, Row>,
    effects: Effects,
    options: WriteOptions<Input, Row> & { columns: ChangedColumns<Row> },
  ): WriteWithEffects<Input, Row>
  function write<Row extends object>(
    change: Change<Input, Row>,
    effects: Effects = [],
    options: WriteOptions<Input, Row> & { columns?: ChangedColumns<Row> } = {},
  ) {
    return new WriteWithEffects(db, change, effects, options)
  }
  return write
}

/** How a write runs: the change, and then statements for each row that it returned */
interface Plan<Input, Row> {
  change: Statement<Input, Row>
  rest: Statement<object, unknown>[]
  /** Reads the further column first, if RETURNING cannot */
  before?: Statement<Input, object>
}

/** A change and its effects: one statement if the database supports that, otherwise a transaction. */
export class WriteWithEffects<Input extends object, Row extends object> {
  readonly #db: Db
  readonly #usual: Plan<Input, Row>
  readonly #makeDistributed: () => Plan<Input, Row>
  #distributed: Plan<Input, Row> | undefined
  readonly #columns: [name: string, kind: ColumnKind][]
  readonly #foreknown: ForeknownWrite<Input, Row> | undefined
  readonly #seesLatest: boolean

  constructor(
    db: Db,
    change: Change<Input, Row>,
    effects: readonly AnyEffect<Input>[],
    {
      seesLatest = false,
      readsBeside,
      foreknown,
      columns,
    }: WriteOptions<Input, Row> & { columns?: ChangedColumns<Row> },
  ) {
    this.#db = db
    this.#foreknown = foreknown
    this.#seesLatest = seesLatest
    this.#columns = Object.entries(columns ?? { account_id: 'id', id: 'id' }) as [
      string,
      ColumnKind, // every column has a kind
    ][]
    const makeChange = () => db.statement<Input>()(change)
    const makeRest = (isApart: boolean) =>
      effectStatements<Record<string, unknown>>(
        db,
        (queries, value) =>
          queries.selectNoFrom(
            this.#columns.map(([name, kind]) => db.typed(value(parameterOf(name)), kind).as(name)),
          ),
        effects as readonly AnyEffect<Record<string, unknown>>[], // they also receive the input
        { isApart },
      )
    const isPlain = effects.length === 0 && readsBeside === undefined
    if (isPlain) this.#usual = { change: makeChange(), rest: [] }
    else if (db.features.supportsWritableCte && !seesLatest) {
      const together = db.statement<Input>()((queries, value) =>
        withEffects(queries, value, change, effects, readsBeside),
      )
      this.#usual = { change: together, rest: [] }
    } else {
      const changeToo = db.statement<Input>()((queries, value) =>
        readsBeside === undefined
          ? change(queries, value)
          : returningToo(change(queries, value), readsBeside(value)),
      )
      this.#usual = { change: changeToo, rest: makeRest(false) }
    }
    // Citus sends the results of a statement's parts to every server. So each part is a statement of its own, for one
    // server.
    this.#makeDistributed = () =>
      isPlain
        ? this.#usual
        : {
            change: makeChange(),
            rest: makeRest(true),
            ...(readsBeside !== undefined && {
              before: db.statement<Input>()((queries, value) =>
                queries.selectNoFrom(readsBeside(value)),
              ),
            }),
          }
  }

  /** Returns the written row; undefined when no row was written, and then no effect ran. */
  async execute(input: Input): Promise<Row | undefined> {
    const [row] = await this.executeAll(input)
    return row
  }

  /** The same for a change of several rows. */
  async executeAll(input: Input): Promise<Row[]> {
    const { change, rest, before } = this.#plan
    if (rest.length === 0 && before === undefined) return this.#db.query(change, input)
    // One statement writes, and is a transaction by itself.
    if (this.#isTogether) return this.#db.readInTurn(() => this.run(input))
    return this.#db.transact(() => this.run(input))
  }

  /** Writes as a part of a transaction. */
  *run(input: Input): Transaction<Row[]> {
    if (this.#isTogether) return yield* this.#runTogether(input)
    if (this.#seesLatest) this.#db.driver.assertSeesLatest?.()
    const { change, rest, before } = this.#plan
    const [beside] = before === undefined ? [] : yield* run(before, input)
    const rows = yield* run(change, input)
    if (rest.length === 0) return rows
    for (const row of rows) {
      const values = { ...input, ...this.#toParameters(row) }
      for (const statement of rest) yield* run(statement, values)
    }
    return beside === undefined ? rows : rows.map((row) => ({ ...row, ...beside }))
  }

  /** Whether the write is one command to the server that has the account's rows */
  get #isTogether(): boolean {
    return this.#foreknown !== undefined && this.#db.writeFunction !== undefined
  }

  *#runTogether(input: Input): Transaction<Row[]> {
    const { writeFunction } = this.#db
    if (writeFunction === undefined || this.#foreknown === undefined) return []
    const { effects, toRow } = this.#foreknown
    const { accountId } = input as { accountId: string } & Input // as every write of a distributed table
    const [drawn] = (yield writeFunction.nextOrder) as [{ order: number }] // what it selects
    const steps = [toStep(this.#plan.change, input), ...effects(input, drawn.order)]
    const [done] = (yield writeFunction.call(accountId, steps)) as [{ changed: number }] // as above
    // Some drivers give a bigint as text.
    return Number(done.changed) === 0 ? [] : [toRow(input)]
  }

  get #plan(): Plan<Input, Row> {
    if (!this.#db.isDistributed) return this.#usual
    this.#distributed ??= this.#makeDistributed()
    return this.#distributed
  }

  #toParameters(row: Row): Record<string, unknown> {
    const written = row as Record<string, unknown> // read by its own column names
    return Object.fromEntries(this.#columns.map(([name]) => [parameterOf(name), written[name]]))
  }
}

/** Prefixed, to keep it apart from the names of the input */
function parameterOf(column: string): string {
  return `changed.${column}`
}

function returningToo<Row>(
  change: Compilable<Row>,
  column: AliasedExpression<unknown, string>,
): Compilable<Row> {
  const write = change as InsertQueryBuilder<Database, keyof Database, unknown> // or an update: both can return columns
  return write.returning(column) as never // with the column that its rows declare
}

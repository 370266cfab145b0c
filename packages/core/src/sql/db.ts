import {
  type Compilable,
  type Dialect,
  DummyDriver,
  type Expression,
  Kysely,
  type OperationNode,
  type QueryCompiler,
  type RawBuilder,
  sql,
  ValueNode,
} from 'kysely'
import type { PoolLoad } from '../base/observe/gauges.ts'
import type { ColumnKind, DialectFeatures } from './dialect-features.ts'
import type { HostTransaction } from './host-transaction.ts'
import type { Database } from './tables/tables.ts'
import { TablesInSchema } from './tables-in-schema.ts'

/** A value in a statement that is known only when the statement is run. */
class Parameter {
  readonly name: string
  constructor(name: string) {
    this.name = name
  }
  toOperationNode(): OperationNode {
    return ValueNode.create(this)
  }
}

/** A query that is compiled once, when it is first run, and prepared by the driver under its text. */
export class Statement<Input, Row> {
  readonly #compile: () => { sql: string; parameters: readonly unknown[] }
  #compiled: { sql: string; parameters: readonly unknown[] } | undefined
  /** Never set: it carries the row's type. */
  declare readonly row: Row

  constructor(compile: () => { sql: string; parameters: readonly unknown[] }) {
    this.#compile = compile
  }

  get sql(): string {
    this.#compiled ??= this.#compile()
    return this.#compiled.sql
  }

  /** Puts the input's values in the places of their parameters. */
  bind(input: Input): unknown[] {
    this.#compiled ??= this.#compile()
    const values = input as Record<string, unknown> // its names were checked when the statement was written
    const { parameters } = this.#compiled
    const bound = new Array<unknown>(parameters.length)
    for (let index = 0; index < parameters.length; index++) {
      const parameter = parameters[index]
      bound[index] = parameter instanceof Parameter ? values[parameter.name] : parameter
    }
    return bound
  }
}

export interface CompiledQuery {
  sql: string
  parameters: unknown[]
}

/**
 * Statements that take effect together or not at all, written as a generator that yields one step after the other.
 * SQLite runs it without leaving the tick, so that nothing else can slip into the transaction; PostgreSQL awaits each.
 */
export type Transaction<T> = Generator<CompiledQuery, T, unknown[]>

/** Runs one statement of a transaction: `const rows = yield* run(findUser, { accountId, id })`. */
export function* run<Input, Row>(
  statement: Statement<Input, Row>,
  input: Input,
): Transaction<Row[]> {
  const rows = yield { sql: statement.sql, parameters: statement.bind(input) }
  return rows as Row[] // the driver answers a step with its statement's rows
}

/** Who runs statements. */
export interface StatementRunner {
  readonly features: DialectFeatures
  readonly dialect: Pick<
    Dialect,
    'createAdapter' | 'createQueryCompiler' | 'createIntrospector'
  > & {
    /** Compiles statements that are prepared once and run often; those of migrations stay as they were released */
    createStatementCompiler?(): QueryCompiler
  }
  readonly schema?: string | undefined
  query(step: CompiledQuery): Promise<unknown[]>
  /**
   * Reads without leaving the tick, all of it from one state of the database. It costs less than the same statements one by
   * one. Where a database in this process lacks it, `query` serves.
   */
  readTogether?<T>(work: () => Transaction<T>): Promise<T>
  /** A read that walks through an account, where `query` would keep the event loop from everybody else meanwhile */
  scan?(accountId: string, step: CompiledQuery): Promise<unknown[]>
  /** `snapshot`: every statement sees the same state of the database. */
  transact<T>(work: () => Transaction<T>, options?: { snapshot?: boolean }): Promise<T>
  /** Holds back other processes that migrate the same database. */
  migrationLock(): CompiledQuery[]
  /** Whether a statement was given up because somebody else held for too long what it waited for */
  isLockTimeout?(error: unknown): boolean
}

/** A transaction of the host's, as statements reach it. Faults are told as the driver tells those of its own. */
export interface OpenTransaction extends HostTransaction {
  query(step: CompiledQuery): Promise<unknown[]>
  /**
   * Sets the savepoint of a call, once it is seen that a transaction is open, and in our database.
   *
   * @throws ClienteleError `transaction_required`, `transaction_failed`, `transaction_foreign`
   */
  enter(name: string): Promise<void>
  /** Sets a savepoint within the call. */
  save(name: string): Promise<void>
  release(name: string): Promise<void>
  /** Undoes what was written since the savepoint, which stays. */
  undo(name: string): Promise<void>
}

/** What a driver has to do. */
export interface Driver extends StatementRunner {
  /** As OpenTelemetry names it (`db.system.name`) */
  readonly system: 'postgresql' | 'sqlite'
  /** Says how busy the connections are, where there are several and they are counted. */
  readPoolLoad?(): PoolLoad | undefined
  /** Answers with a row where there is such a table in the place of our tables. */
  findTable(name: string): CompiledQuery
  /** Makes the place of our tables where it is missing. */
  makeSchema(): Transaction<void>
  /** Sees without a statement that the database is where it was. @throws ClienteleError `storage_unavailable` */
  assertReachable?(): void
  /** Whether anything has been answered since then, on the clock of `performance`. */
  hasAnsweredSince?(time: number): boolean
  /**
   * Takes part in a transaction of the host's.
   *
   * @throws ClienteleError `transaction_invalid`, `transaction_foreign`
   */
  openHandle(handle: unknown): OpenTransaction
  /** Learns where the database is, before a transaction of the host's may hold the only connection. */
  learnPlace?(): Promise<void>
  close(): Promise<void>
}

/** Thrown by drivers when a write breaks a constraint: a row with the same unique values, or a row that is gone. */
export class ConstraintViolation extends Error {
  override readonly name = 'ConstraintViolation'
  readonly kind: 'unique' | 'foreign_key'

  constructor(kind: 'unique' | 'foreign_key', options: ErrorOptions) {
    super(kind, options)
    this.kind = kind
  }
}

/** Thrown by the work of a transaction to undo it, though nothing has failed. */
export class Rollback extends Error {
  override readonly name = 'Undoing'
}

export type ParameterOf<Input> = <Name extends keyof Input & string>(
  name: Name,
) => Expression<Input[Name]>
export type Queries = Kysely<Database>

/** Who runs statements, with the query builder of the dialect. */
export class Db {
  readonly driver: StatementRunner
  /** For migrations */
  readonly queries: Queries
  readonly #ofStatements: Queries

  constructor(driver: StatementRunner) {
    this.driver = driver
    const { dialect, schema } = driver
    const build = (createQueryCompiler: () => QueryCompiler): Queries => {
      const queries = new Kysely<Database>({
        dialect: {
          createAdapter: () => dialect.createAdapter(),
          createQueryCompiler,
          createIntrospector: (db) => dialect.createIntrospector(db),
          createDriver: () => new DummyDriver(),
        },
      })
      return schema === undefined ? queries : queries.withPlugin(new TablesInSchema(schema))
    }
    this.queries = build(() => dialect.createQueryCompiler())
    const { createStatementCompiler } = dialect
    this.#ofStatements =
      createStatementCompiler === undefined ? this.queries : build(createStatementCompiler)
  }

  get features(): DialectFeatures {
    return this.driver.features
  }

  /** Gives a parameter the type that the database can't infer where it stands. */
  typed<T>(value: Expression<T>, type: ColumnKind): RawBuilder<T> {
    const name = type === 'text' || type === 'sortedText' ? 'text' : this.features.types[type]
    return sql<T>`cast(${value} as ${typeof name === 'string' ? sql.raw(name) : name})`
  }

  /** Describes a statement by its input: `database.statement<{ id: string }>()((queries, value) => …value('id')…)`. */
  statement<Input>() {
    return <Row>(
      build: (queries: Queries, value: ParameterOf<Input>) => Compilable<Row>,
    ): Statement<Input, Row> => {
      const value = (name: string) => new Parameter(name) as unknown as Expression<never> // a Parameter is an operand
      return new Statement(() => build(this.#ofStatements, value as ParameterOf<Input>).compile())
    }
  }

  async query<Input, Row>(statement: Statement<Input, Row>, input: Input): Promise<Row[]> {
    const rows = await this.driver.query({ sql: statement.sql, parameters: statement.bind(input) })
    return rows as Row[] // the driver answers with the statement's rows
  }

  async queryOne<Input, Row>(
    statement: Statement<Input, Row>,
    input: Input,
  ): Promise<Row | undefined> {
    const rows = await this.query(statement, input)
    return rows[0]
  }

  /** Runs a read whose time grows with the account. */
  async scan<Input extends { accountId: string }, Row>(
    statement: Statement<Input, Row>,
    input: Input,
  ): Promise<Row[]> {
    const { driver } = this
    if (driver.scan === undefined) return this.query(statement, input)
    const step = { sql: statement.sql, parameters: statement.bind(input) }
    return (await driver.scan(input.accountId, step)) as Row[] // the driver answers with the statement's rows
  }

  /** Runs reads, from one state of the database where the driver can do that within the tick. */
  async readTogether<T>(work: () => Transaction<T>): Promise<T> {
    return this.driver.readTogether?.(work) ?? this.readInTurn(work)
  }

  /** Runs reads one after the other. */
  async readInTurn<T>(work: () => Transaction<T>): Promise<T> {
    const steps = work()
    let next = steps.next()
    while (!next.done) next = steps.next(await this.driver.query(next.value))
    return next.value
  }

  transact<T>(work: () => Transaction<T>, options?: { snapshot?: boolean }): Promise<T> {
    return this.driver.transact(work, options)
  }
}

import {
  type Compilable,
  type Dialect,
  DummyDriver,
  type Expression,
  Kysely,
  type CompiledQuery as KyselyQuery,
  type QueryCompiler,
  type RawBuilder,
  sql,
} from 'kysely'
import type { PoolLoad } from '../base/observe/gauges.ts'
import type { ColumnKind, DialectFeatures } from './dialect-features.ts'
import type { HostTransaction } from './host-transaction.ts'
import { Parameter } from './parameter.ts'
import type { Database } from './tables/tables.ts'
import { TablesInSchema } from './tables-in-schema.ts'

/** A query that is compiled on its first run and that the driver prepares by its text. */
export class Statement<Input, Row> {
  readonly #compile: () => KyselyQuery
  #compiled: KyselyQuery | undefined
  /** Never set: a phantom property for the row's type. */
  declare readonly row: Row

  constructor(compile: () => KyselyQuery) {
    this.#compile = compile
  }

  get compiled(): KyselyQuery {
    this.#compiled ??= this.#compile()
    return this.#compiled
  }

  get sql(): string {
    return this.compiled.sql
  }

  /** Replaces the parameters by the input's values. */
  bind(input: Input): unknown[] {
    const values = input as Record<string, unknown> // the compiler has checked the names
    const { parameters } = this.compiled
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
  /** The account that it is about: accounts share the connections; undefined: none, or several */
  accountId?: string | undefined
}

/** Binds a statement to its input. */
export function toStep<Input>(statement: Statement<Input, unknown>, input: Input): CompiledQuery {
  const { accountId } = input as { accountId?: string } // of most inputs
  // An empty one is not known: such statements of all accounts must not share the connections of one.
  const holder = accountId === '' ? undefined : accountId
  return { sql: statement.sql, parameters: statement.bind(input), accountId: holder }
}

/**
 * Statements that take effect together or not at all, written as a generator that yields each statement and receives
 * its rows. SQLite runs it within one tick, so that no other statement can enter the transaction; PostgreSQL awaits
 * each statement.
 */
export type Transaction<T> = Generator<CompiledQuery, T, unknown[]>

/** Runs one statement of a transaction: `const rows = yield* run(findUser, { accountId, id })`. */
export function* run<Input, Row>(
  statement: Statement<Input, Row>,
  input: Input,
): Transaction<Row[]> {
  const rows = yield toStep(statement, input)
  return rows as Row[] // the driver returns the rows of the statement
}

/** Runs statements. */
export interface StatementRunner {
  readonly features: DialectFeatures
  readonly dialect: Pick<
    Dialect,
    'createAdapter' | 'createQueryCompiler' | 'createIntrospector'
  > & {
    /** Compiles prepared statements; the statements of migrations keep their released form */
    createStatementCompiler?(): QueryCompiler
  }
  readonly schema?: string | undefined
  query(step: CompiledQuery): Promise<unknown[]>
  /**
   * Reads within one tick, all from one state of the database. It costs less than running the statements one by one.
   * Undefined when the driver cannot do that: use `query`.
   */
  readTogether?<T>(work: () => Transaction<T>): Promise<T>
  /**
   * A number that differs from all earlier ones as soon as anything in the database has changed; undefined when the driver
   * cannot tell.
   */
  readMark?(): number | undefined
  /** A read that walks through an account. With `query` it would block the event loop */
  scan?(accountId: string, step: CompiledQuery): Promise<unknown[]>
  /** `snapshot`: all statements see the same state of the database. */
  transact<T>(work: () => Transaction<T>, options?: { snapshot?: boolean }): Promise<T>
  /**
   * In a transaction of the host's: throws if its statements do not see what was committed since its beginning.
   *
   * @throws ClienteleError `transaction_invalid`
   */
  assertSeesLatest?(): void
  /** Reads that may go to a replica, if there is one */
  readonly reads?: StatementRunner | undefined
  /** Blocks other processes that migrate the same database. */
  migrationLock(): CompiledQuery[]
  /** Whether a statement failed because it waited too long for a lock */
  isLockTimeout?(error: unknown): boolean
}

/** Reads rows of one account from the server that has it. */
export interface AccountReader {
  /** Undefined if it cannot read the account now: then another way may. */
  read<Input extends { accountId: string }, Row>(
    statement: Statement<Input, Row>,
    input: Input,
  ): Promise<Row[] | undefined>
}

/** A transaction of the host's in which our statements run. Its faults are translated like those of the driver. */
export interface OpenTransaction extends HostTransaction {
  /** Whether every statement sees the state at the beginning of the transaction (repeatable read, serializable). */
  readonly keepsSnapshot: boolean
  query(step: CompiledQuery): Promise<unknown[]>
  /**
   * Sets the savepoint of a call, after checking that a transaction is open and that it is in our database.
   *
   * @throws ClienteleError `transaction_required`, `transaction_failed`, `transaction_foreign`
   */
  enter(name: string): Promise<void>
  /** Sets a savepoint inside the call. */
  save(name: string): Promise<void>
  release(name: string): Promise<void>
  /** Rolls back to the savepoint, which stays. */
  undo(name: string): Promise<void>
}

/** A database driver. */
export interface Driver extends StatementRunner {
  /** The database's name in OpenTelemetry (`db.system.name`) */
  readonly system: 'postgresql' | 'sqlite'
  /** What asks the servers of a distributed database themselves, if that is wanted */
  readonly directReads?: AccountReader | undefined
  /** The load of the connection pool, if there is a pool that counts its connections. */
  readPoolLoad?(): PoolLoad | undefined
  /** Returns a row if a table of this name exists in our schema. */
  findTable(name: string): CompiledQuery
  /** Creates our schema if it does not exist. */
  makeSchema(): Transaction<void>
  /** Checks without a statement that the database has not moved. @throws ClienteleError `storage_unavailable` */
  assertReachable?(): void
  /** Whether the database has answered since that time, on the clock of `performance`. */
  hasAnsweredSince?(time: number): boolean
  /**
   * Joins a transaction of the host's.
   *
   * @throws ClienteleError `transaction_invalid`, `transaction_foreign`
   */
  openHandle(handle: unknown): OpenTransaction
  /** Finds out which database this is, before a transaction of the host's may hold the only connection. */
  learnPlace?(): Promise<void>
  close(): Promise<void>
}

/** Thrown by drivers when a write breaks a constraint: a unique value is taken, or a referenced row is gone. */
export class ConstraintViolation extends Error {
  override readonly name = 'ConstraintViolation'
  readonly kind: 'unique' | 'foreign_key'

  constructor(kind: 'unique' | 'foreign_key', options: ErrorOptions) {
    super(kind, options)
    this.kind = kind
  }
}

/** Thrown by the work of a transaction to roll it back without a failure. */
export class Rollback extends Error {
  override readonly name = 'Rollback'
}

export type ParameterOf<Input> = <Name extends keyof Input & string>(
  name: Name,
) => Expression<Input[Name]>
export type Queries = Kysely<Database>

/** Runs statements, with the query builder of the dialect. */
export class Db {
  readonly driver: StatementRunner
  /** For lists, exports and the feed: a replica may answer. A read sees all that was written before it began. */
  readonly reads: Db
  #isDistributed = false
  /** What a distributed database runs statements with where an account's rows are, if it has the function */
  writeFunction:
    | {
        nextOrder: CompiledQuery
        call(accountId: string, steps: readonly CompiledQuery[]): CompiledQuery
      }
    | undefined
  /** What a distributed database reads an account with where its rows are, if it has the function */
  readFunction:
    | {
        /** Undefined if the function cannot read the account */
        read<Input extends { accountId: string }, Row>(
          query: StatementRunner['query'],
          statement: Statement<Input, Row>,
          input: Input,
        ): Promise<Row[] | undefined>
      }
    | undefined
  /** What asks the server of an account itself, where a database is distributed and that is wanted */
  directReads: AccountReader | undefined
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
    this.reads = driver.reads === undefined ? this : new Db(driver.reads)
    this.queries = build(() => dialect.createQueryCompiler())
    const { createStatementCompiler } = dialect
    this.#ofStatements =
      createStatementCompiler === undefined ? this.queries : build(createStatementCompiler)
  }

  /** Whether the tables are distributed by account (Citus): what accounts share otherwise, each then asks for itself */
  get isDistributed(): boolean {
    return this.#isDistributed
  }

  set isDistributed(isDistributed: boolean) {
    this.#isDistributed = isDistributed
    if (this.reads !== this) this.reads.isDistributed = isDistributed
  }

  /** The key of a `BatchLoader` whose calls share a statement, whatever account they are of, if one place has them all */
  sharedBy(accountId: string): string {
    return this.isDistributed ? accountId : ''
  }

  get features(): DialectFeatures {
    return this.driver.features
  }

  /** Casts a parameter to a type that the database cannot infer. */
  typed<T>(value: Expression<T>, type: ColumnKind): RawBuilder<T> {
    const name = type === 'text' || type === 'sortedText' ? 'text' : this.features.types[type]
    return sql<T>`cast(${value} as ${typeof name === 'string' ? sql.raw(name) : name})`
  }

  /**
   * Describes a statement with its input: `database.statement<{ id: string }>()((queries, value) => …value('id')…)`.
   */
  statement<Input>() {
    return <Row>(
      build: (queries: Queries, value: ParameterOf<Input>) => Compilable<Row>,
    ): Statement<Input, Row> => {
      const value = (name: string) => new Parameter(name) as unknown as Expression<never> // Kysely accepts a Parameter as an operand
      return new Statement(() => build(this.#ofStatements, value as ParameterOf<Input>).compile())
    }
  }

  async query<Input, Row>(statement: Statement<Input, Row>, input: Input): Promise<Row[]> {
    const rows = await this.driver.query(toStep(statement, input))
    return rows as Row[] // the driver returns the statement's rows
  }

  async queryOne<Input, Row>(
    statement: Statement<Input, Row>,
    input: Input,
  ): Promise<Row | undefined> {
    const rows = await this.query(statement, input)
    return rows[0]
  }

  /** Runs a read whose duration grows with the account. */
  async scan<Input extends { accountId: string }, Row>(
    statement: Statement<Input, Row>,
    input: Input,
  ): Promise<Row[]> {
    const { driver } = this
    if (driver.scan === undefined) return this.query(statement, input)
    return (await driver.scan(input.accountId, toStep(statement, input))) as Row[] // the driver returns the statement's rows
  }

  /** Runs reads, from one state of the database if the driver can do that within one tick. */
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

import {
  type Compilable,
  DummyDriver,
  type Expression,
  Kysely,
  type QueryCompiler,
  type RawBuilder,
  sql,
} from 'kysely'
import type { ColumnKind, DialectFeatures } from './dialect-features.ts'
import type { AccountReader, StatementRunner } from './driver.ts'
import { Parameter } from './parameter.ts'
import { type CompiledQuery, Statement, type Transaction, toStep } from './statement.ts'
import type { Database } from './tables/tables.ts'
import { TablesInSchema } from './tables-in-schema.ts'

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

  /** Lets other work go first, between the parts of a long write. */
  async rest(): Promise<void> {
    await this.driver.rest?.()
    await new Promise(setImmediate)
  }

  transact<T>(work: () => Transaction<T>, options?: { snapshot?: boolean }): Promise<T> {
    return this.driver.transact(work, options)
  }
}

import type { Dialect, QueryCompiler } from 'kysely'
import type { PoolLoad } from '../base/observe/gauges.ts'
import type { DialectFeatures } from './dialect-features.ts'
import type { HostTransaction } from './host-transaction.ts'
import type { CompiledQuery, Statement, Transaction } from './statement.ts'

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
  /** Resolves when work in many parts may write the next one without delaying others by what it has written. */
  rest?(): Promise<void>
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
  /** How many writes of an account wait for a connection, if there is a pool that shares them among accounts. */
  countWaitingWrites?(accountId: string): number
  /** Returns a row if a table of this name exists in our schema. */
  findTable(name: string): CompiledQuery
  /**
   * Creates our schema if it does not exist.
   *
   * @throws ClienteleError `configuration_invalid` for a database that cannot store every text
   */
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

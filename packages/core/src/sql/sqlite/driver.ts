import { SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely'
import { closedFault } from '../../base/runtime/closed-fault.ts'
import type { Driver, OpenTransaction } from '../driver.ts'
import { findSession } from '../host-sessions/find-session.ts'
import type { CompiledQuery, Transaction } from '../statement.ts'
import { toSqlite } from '../to-sqlite.ts'
import { findTable } from './catalog.ts'
import type { SqliteConnection } from './connection.ts'
import { isBusy, isReadOnly, readOnlyFile, translate, unavailable } from './faults.ts'
import { sqliteFeatures } from './features.ts'
import { SqliteFile } from './file.ts'
import { GroupCommit, pause, type WriteOptions } from './group-commit.ts'
import { assertConnection, SqliteHostTransaction } from './host-transaction.ts'
import { LogCopies } from './log-copies.ts'
import { SqliteReader } from './reader.ts'
import { ReaderGone } from './reader-threads.ts'
import { SqliteSessionTransaction } from './session-transaction.ts'
import { SqliteStatementCompiler } from './statement-compiler.ts'
import { SqliteStatements } from './statements.ts'

/** Runs statements on one better-sqlite3 connection. */
export class SqliteDriver implements Driver {
  readonly system = 'sqlite'
  readonly features = sqliteFeatures
  readonly dialect = {
    createAdapter: () => new SqliteAdapter(),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createStatementCompiler: () => new SqliteStatementCompiler(),
    createIntrospector: (db: ConstructorParameters<typeof SqliteIntrospector>[0]) =>
      new SqliteIntrospector(db),
  }
  readonly #connection: SqliteConnection
  readonly #ownsConnection: boolean
  readonly #statements: SqliteStatements

  readonly #writes: GroupCommit
  readonly #lockTimeoutMs: number
  readonly #file: SqliteFile | undefined
  readonly #logCopies: LogCopies | undefined
  readonly #reader: SqliteReader | undefined
  #isClosed = false
  /** How often we have written, and how often we have seen that others did */
  #changes = 0
  #dataVersion: unknown
  readonly #knownHandles = new WeakSet<object>()

  constructor(
    connection: SqliteConnection,
    options: { ownsConnection: boolean; lockTimeoutSeconds: number; keepsJournalMode?: boolean },
  ) {
    this.#connection = connection
    this.#statements = new SqliteStatements(connection)
    this.#ownsConnection = options.ownsConnection
    this.#lockTimeoutMs = options.lockTimeoutSeconds * 1000
    this.#writes = new GroupCommit(
      {
        execute: (sql) => void this.#statements.execute({ sql, parameters: [] }),
        countChangedRows: () => {
          const sql = 'select total_changes() as rows'
          const [row] = this.#statements.execute({ sql, parameters: [] })
          return Object(row).rows
        },
        get inTransaction() {
          return connection.inTransaction
        },
      },
      {
        lockTimeoutMs: this.#lockTimeoutMs,
        isBusy,
        taken: () =>
          unavailable(new Error('A transaction of yours is open on the connection of Clientele.')),
        assertWritable: () => this.#file?.assertThere(true),
        onCommit: () => this.#logCopies?.noteCommit(),
      },
    )
    const isFile = !connection.memory && connection.name !== ''
    this.#file = isFile
      ? new SqliteFile(connection.name, { hasLog: options.ownsConnection })
      : undefined
    // Only a host's own connection may be able to read the file, for instance when it is encrypted.
    this.#reader = isFile && options.ownsConnection ? new SqliteReader(connection.name) : undefined
    const reader = this.#reader
    this.#logCopies = reader && new LogCopies(reader.filename, () => reader.copyLog())
    try {
      // WAL survives a killed process at any level, and a power cut only at FULL.
      if (!options.keepsJournalMode) connection.pragma('journal_mode = WAL')
      connection.pragma('synchronous = FULL')
      connection.pragma('foreign_keys = ON')
      // Overwrites deleted content, such as erased users and replaced hashes.
      connection.pragma('secure_delete = ON')
      // The journal that undoes a statement which fails half-way; on disk it costs more than the write itself.
      connection.pragma('temp_store = MEMORY')
      // The connection would wait on the event loop's thread; GroupCommit waits without blocking it.
      connection.pragma('busy_timeout = 0')
      // In pages: the thread copies the log before it is so long.
      if (this.#logCopies !== undefined) connection.pragma('wal_autocheckpoint = 4000')
    } catch (error) {
      if (options.ownsConnection) connection.close()
      throw isReadOnly(error)
        ? readOnlyFile(connection.name, error)
        : translate(error, connection.name)
    }
  }

  query(step: CompiledQuery): Promise<unknown[]> {
    return this.#patiently(() => {
      if (this.#isClosed) throw closedFault()
      if (!this.#statements.prepare(step.sql).readonly) {
        const accountOf = () => step.accountId
        return this.#write(() => this.#statements.execute(step), { isStatement: true, accountOf })
      }
      this.#file?.assertThere(false)
      return this.#statements.execute(step)
    })
  }

  readTogether<T>(work: () => Transaction<T>): Promise<T> {
    return this.#patiently(() => {
      this.#file?.assertThere(false)
      const steps = work()
      const first = steps.next()
      // A host's transaction on the same connection sees one state already.
      if (first.done || this.#connection.inTransaction) return this.#runSteps(steps, first)
      // Otherwise each statement would lock and unlock the file.
      this.#statements.execute({ sql: 'begin', parameters: [] })
      try {
        return this.#runSteps(steps, first)
      } finally {
        this.#statements.execute({ sql: 'commit', parameters: [] })
      }
    })
  }

  async rest(): Promise<void> {
    await this.#logCopies?.rest()
  }

  readMark(): number | undefined {
    // A host may write through its own connection, which counts only the changes of other connections.
    if (!this.#ownsConnection || this.#isClosed) return undefined
    let version: unknown
    try {
      this.#file?.assertThere(false)
      const [row] = this.#statements.execute({ sql: 'pragma data_version', parameters: [] })
      version = Object(row).data_version
    } catch {
      // The statement that follows says what is wrong.
      return undefined
    }
    if (version !== this.#dataVersion) this.#changes++
    this.#dataVersion = version
    return this.#changes
  }

  async scan(accountId: string, step: CompiledQuery): Promise<unknown[]> {
    const reader = this.#reader
    if (reader === undefined || this.#isClosed) return this.query(step)
    this.#file?.assertThere(true)
    let rows: unknown[]
    try {
      rows = await reader.read(accountId, { ...step, parameters: toSqlite(step.parameters) })
    } catch (error) {
      // If a bundler has dropped the thread's file, a blocking read is better than none.
      if (error instanceof ReaderGone && !reader.isClosed) return this.query(step)
      throw reader.isClosed ? closedFault() : translate(error)
    }
    try {
      this.#file?.assertThere(true)
    } catch (error) {
      // The thread opens the file by its name, which may have meant another file by then.
      await reader.renew()
      throw error
    }
    return rows
  }

  transact<T>(work: () => Transaction<T>): Promise<T> {
    const begin = () => {
      const steps = work()
      return { steps, first: steps.next() }
    }
    let begun: ReturnType<typeof begin> | undefined
    const run = () => {
      const { steps, first } = begun ?? begin()
      begun = undefined
      return this.#runSteps(steps, first)
    }
    // Up to its first statement it has read nothing: so it may begin before its turn, and names its account.
    const accountOf = () => {
      try {
        begun ??= begin()
      } catch {
        // It throws again when it runs.
        return undefined
      }
      return begun.first.done ? undefined : begun.first.value.accountId
    }
    return this.#write(run, { isStatement: false, accountOf })
  }

  /** BEGIN IMMEDIATE is the lock. */
  migrationLock(): CompiledQuery[] {
    return []
  }

  findTable(name: string): CompiledQuery {
    return findTable(name)
  }

  /** A SQLite file has no schemas. */
  *makeSchema(): Transaction<void> {}

  openHandle(handle: unknown): OpenTransaction {
    const own = this.#connection
    const session = findSession(handle, 'sqlite')
    const isBeingWritten = () => this.#isBeingWritten()
    if (session !== undefined) {
      const known = this.#knownHandles
      return new SqliteSessionTransaction({ session, own, known, isBeingWritten })
    }
    assertConnection(handle, own)
    const reads = handle === own ? 'here' : 'apart'
    return new SqliteHostTransaction({ connection: handle, reads, isBeingWritten })
  }

  assertReachable(): void {
    this.#file?.assertThere(true)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#writes.close()
    this.#statements.clear()
    this.#logCopies?.close()
    await this.#reader?.close()
    if (this.#ownsConnection) this.#connection.close()
  }

  /** Whether another connection has written without having committed yet */
  #isBeingWritten(): boolean {
    if (this.#connection.inTransaction) return true
    try {
      this.#statements.execute({ sql: 'begin immediate', parameters: [] })
    } catch (error) {
      if (isBusy(error)) return true
      throw error
    }
    this.#statements.execute({ sql: 'rollback', parameters: [] })
    return false
  }

  #runSteps<T>(steps: Transaction<T>, first: IteratorResult<CompiledQuery, T>): T {
    let next = first
    while (!next.done) next = steps.next(this.#statements.execute(next.value))
    return next.value
  }

  async #write<T>(run: () => T, options: WriteOptions): Promise<T> {
    if (this.#isClosed) throw closedFault()
    try {
      return await this.#writes.write(() => {
        this.#changes++
        return run()
      }, options)
    } catch (error) {
      throw translate(error)
    }
  }

  /** Retries a read that another process blocks; a write returns a promise and retries by itself. */
  async #patiently<T>(work: () => T | Promise<T>): Promise<T> {
    const deadline = performance.now() + this.#lockTimeoutMs
    for (let attempt = 1; ; attempt++) {
      try {
        return work()
      } catch (error) {
        if (!isBusy(error) || performance.now() >= deadline) throw translate(error)
        await pause(attempt)
      }
    }
  }
}

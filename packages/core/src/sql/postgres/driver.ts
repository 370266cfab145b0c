import { createHash } from 'node:crypto'

import { PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely'
import type { PoolLoad } from '../../base/observe/gauges.ts'
import { closedFault } from '../../base/runtime/closed-fault.ts'
import { isRead } from '../connection-limits.ts'
import type { AccountReader, Driver, OpenTransaction, StatementRunner } from '../driver.ts'
import { findSession } from '../host-sessions/find-session.ts'
import { isolationLevelOf } from '../isolation-level.ts'
import type { CompiledQuery, Transaction } from '../statement.ts'
import { toPath } from '../to-path.ts'
import { findTable, lockMigrations, makeSchema } from './catalog.ts'
import { openClientSession } from './client-session.ts'
import { mayRunAgain, pauseAfterConflict } from './conflicts.ts'
import { isPlanStale, isStatementLost, spoilsConnection, stateOf, translate } from './faults.ts'
import { postgresFeatures } from './features.ts'
import { type KnownPlace, PostgresHostTransaction } from './host-transaction.ts'
import type { PostgresClient, PostgresQuery, StatementMode } from './pool.ts'
import { createScanLimit } from './scan-limit.ts'
import { explainStartFault } from './start-faults.ts'
import { types } from './type-parsers.ts'
import type { WatchedPool } from './watched-pool.ts'

/** After how many lost prepared statements naming is turned off. */
const maxLostStatements = 3

export class PostgresDriver implements Driver {
  readonly system = 'postgresql'
  readonly features = postgresFeatures
  readonly dialect = {
    createAdapter: () => new PostgresAdapter(),
    createQueryCompiler: () => new PostgresQueryCompiler(),
    createIntrospector: (db: ConstructorParameters<typeof PostgresIntrospector>[0]) =>
      new PostgresIntrospector(db),
  }
  readonly schema: string | undefined
  /** Set once, before the first statement. The driver closes it. */
  reads: (StatementRunner & { close(): Promise<void> }) | undefined
  /** As above */
  directReads: (AccountReader & { close(): Promise<void> }) | undefined
  readonly #pool: WatchedPool
  readonly #ownsPool: boolean
  #ended: Promise<void> | undefined
  readonly #mode: StatementMode
  readonly #names = new Map<string, string>()
  #lostStatements = 0
  #hasAnswered = false
  readonly #known: KnownPlace
  readonly #scans = createScanLimit()

  constructor(
    pool: WatchedPool,
    options: { ownsPool: boolean; schema?: string | undefined; mode: StatementMode },
  ) {
    this.#pool = pool
    this.#ownsPool = options.ownsPool
    this.#mode = options.mode
    this.schema = options.schema
    this.#known = {
      table: toPath(this.schema, 'clientele_accounts'),
      transactionIds: new WeakMap(),
    }
    // An idle connection that dies emits `error` on the pool, which ends a process that does not listen. The pool
    // removes the connection by itself, and the next query opens another.
    pool.on('error', () => {})
    // The pool does not listen between handing out a connection and its receiver's first tick.
    const heard = new WeakSet<PostgresClient>()
    pool.on('acquire', (client) => {
      if (!heard.has(client)) client.on('error', () => {})
      heard.add(client)
    })
  }

  query(step: CompiledQuery): Promise<unknown[]> {
    // An abandoned read may continue; an abandoned write must not, because it would take effect long after its error
    // was returned.
    if (this.#mode.localSettings !== '' && !isRead(step)) {
      return this.transact(function* (): Transaction<unknown[]> {
        return yield step
      })
    }
    const use = isRead(step) ? 'reads' : 'writes'
    return this.#retry(async (named) => {
      const query = this.#toQuery(step, named)
      return (await this.#pool.query(query, step.accountId, use)).rows
    })
  }

  /** Bounds long reads, so that connections are left for short ones; accounts share the slots. */
  scan(accountId: string, step: CompiledQuery): Promise<unknown[]> {
    return this.#scans.run(accountId, () => this.query(step))
  }

  /** Runs a check that returns `holds`, and then the statement on the same connection; undefined if it does not hold. */
  queryIf(check: CompiledQuery, step: CompiledQuery): Promise<unknown[] | undefined> {
    // A pooler may give each statement another connection, unless they are in a transaction.
    if (this.#mode.localSettings !== '') {
      return this.transact(function* (): Transaction<unknown[] | undefined> {
        const [{ holds }] = (yield check) as [{ holds: boolean }] // the check returns one row
        return holds ? yield step : undefined
      })
    }
    return this.#retry(async (named) => {
      const client = await this.#pool.connect(step.accountId, 'reads')
      let broken: Error | undefined
      try {
        const { rows } = await client.query(this.#toQuery(check, named))
        const [{ holds }] = rows as [{ holds: boolean }] // the check returns one row
        return holds ? (await client.query(this.#toQuery(step, named))).rows : undefined
      } catch (error) {
        if (spoilsConnection(error)) broken = error
        throw error
      } finally {
        client.release(broken)
      }
    })
  }

  transact<T>(work: () => Transaction<T>, { snapshot = false } = {}): Promise<T> {
    return this.#retry((named) => this.#transactOnce(work, snapshot, named), snapshot)
  }

  migrationLock(): CompiledQuery[] {
    return [lockMigrations()]
  }

  findTable(name: string): CompiledQuery {
    return findTable(this.schema, name)
  }

  makeSchema(): Transaction<void> {
    return makeSchema(this.schema)
  }

  hasAnsweredSince(time: number): boolean {
    return this.#pool.hasAnsweredSince(time)
  }

  readPoolLoad(): PoolLoad | undefined {
    return this.#pool.readLoad()
  }

  countWaitingWrites(accountId: string): number {
    return this.#pool.countWaitingWrites(accountId)
  }

  openHandle(handle: unknown): OpenTransaction {
    return new PostgresHostTransaction({
      session: findSession(handle, 'postgres') ?? openClientSession(handle),
      ask: (step) => this.query(step),
      known: this.#known,
    })
  }

  isLockTimeout(error: unknown): boolean {
    return error instanceof Error && stateOf(error.cause) === '55P03'
  }

  async close(): Promise<void> {
    try {
      await this.reads?.close()
      await this.directReads?.close()
    } finally {
      if (this.#ownsPool) {
        this.#ended ??= this.#pool.end()
        await this.#ended
      }
    }
  }

  async #transactOnce<T>(
    work: () => Transaction<T>,
    snapshot: boolean,
    named: boolean,
  ): Promise<T> {
    const steps = work()
    // Without a connection, as the first statement says whose transaction it is.
    let next = steps.next()
    const client = await this.#pool.connect(next.done ? undefined : next.value.accountId)
    let broken: Error | undefined
    // The pool listens to a connection only while it is idle; without a listener one that dies now would end the
    // process.
    const noteFault = (fault: Error): void => {
      broken = fault
    }
    client.on('error', noteFault)
    try {
      const begin = `begin isolation level ${isolationLevelOf(snapshot)}`
      // One message and one round trip, with or without the limits.
      await client.query({ text: `${begin}; ${this.#mode.localSettings}` })
      while (!next.done) {
        const { rows } = await client.query(this.#toQuery(next.value, named))
        next = steps.next(rows)
      }
      await client.query({ text: 'commit' })
      return next.value
    } catch (error) {
      // If the connection failed, a rollback is useless and would wait for the time limit again.
      if (spoilsConnection(error)) broken = error
      else await client.query({ text: 'rollback' }).catch(noteFault)
      throw error
    } finally {
      client.off('error', noteFault)
      client.release(broken)
    }
  }

  #toQuery({ sql, parameters }: CompiledQuery, named: boolean): PostgresQuery {
    if (!named) return { text: sql, values: parameters, types }
    let name = this.#names.get(sql)
    if (name === undefined) {
      name = `clientele_${createHash('sha256').update(sql).digest('hex').slice(0, 32)}`
      this.#names.set(sql, name)
    }
    return { name, text: sql, values: parameters, types }
  }

  /**
   * Retries work that the database rolled back because of a conflict (a deadlock or an outdated snapshot), and repeats
   * a statement that failed as a named one without a name.
   */
  async #retry<T>(work: (named: boolean) => Promise<T>, hasSnapshot = false): Promise<T> {
    let mayName = true
    for (let attempt = 1; ; attempt++) {
      if (this.#ended !== undefined) throw closedFault()
      try {
        const result = await work(mayName && this.#mode.namesStatements)
        this.#hasAnswered = true
        return result
      } catch (error) {
        if (mayName && (isStatementLost(error) || isPlanStale(error))) {
          mayName = false
          if (isStatementLost(error)) this.#countLostStatement()
        } else if (mayRunAgain(error, attempt, hasSnapshot)) await pauseAfterConflict(attempt)
        else throw (this.#hasAnswered ? undefined : explainStartFault(error)) ?? translate(error)
      }
    }
  }

  #countLostStatement(): void {
    if (++this.#lostStatements < maxLostStatements || !this.#mode.namesStatements) return
    this.#mode.namesStatements = false
    process.emitWarning(
      'Prepared statements get lost on the way to PostgreSQL, so none is prepared any more. ' +
        'Behind a pooler write ?prepared_statements=false, or preparedStatements: false.',
      { code: 'CLIENTELE_PREPARED_STATEMENTS' },
    )
  }
}

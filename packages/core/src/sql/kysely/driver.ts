import { ClienteleError } from '../../base/errors.ts'
import { KeyedMutex } from '../../base/runtime/keyed-mutex.ts'
import { type ConnectionLimits, createConnectionLimits, isRead } from '../connection-limits.ts'
import type { Driver, OpenTransaction } from '../driver.ts'
import {
  type KyselyDialectName,
  type KyselyInstance,
  type KyselyRunner,
  runOnKysely,
} from '../host-sessions/host-kysely.ts'
import { isolationLevelOf } from '../isolation-level.ts'
import type { CompiledQuery, Transaction } from '../statement.ts'
import { type HostDialect, hostDialects } from './host-dialect.ts'
import type { HostHandles } from './host-handles.ts'

/** The write turns, by Kysely instance: several repositories may share an instance. */
const turnsOf = new WeakMap<KyselyInstance, KeyedMutex>()

/** Runs statements on a Kysely instance of the host's. */
export class KyselyDriver implements Driver {
  readonly system: Driver['system']
  readonly features: Driver['features']
  readonly dialect: Driver['dialect']
  readonly schema: string | undefined
  readonly #db: KyselyInstance
  readonly #name: KyselyDialectName
  readonly #host: HostDialect
  readonly #lockTimeoutMs: number
  readonly #turns: KeyedMutex
  readonly #limits: ConnectionLimits = createConnectionLimits()
  readonly #handles: HostHandles
  #isChecked = false

  constructor(
    db: KyselyInstance,
    options: {
      dialect: KyselyDialectName
      schema?: string | undefined
      /** On SQLite, in addition to the time that the host's own connection waits */
      lockTimeoutSeconds: number
    },
  ) {
    this.#db = db.withoutPlugins()
    this.#name = options.dialect
    this.#host = hostDialects[options.dialect]
    this.system = this.#host.system
    this.features = this.#host.features
    this.dialect = this.#host.dialect
    this.schema = options.schema
    this.#lockTimeoutMs = options.lockTimeoutSeconds * 1000
    this.#handles = this.#host.createHandles({
      schema: options.schema,
      ask: (step) => this.query(step),
      runOnce: (step) => this.#run(this.#db, step),
    })
    this.#turns = turnsOf.get(db) ?? new KeyedMutex()
    turnsOf.set(db, this.#turns)
  }

  query(step: CompiledQuery): Promise<unknown[]> {
    const run = () => this.#run(this.#db, step)
    if (isRead(step)) return this.#retry(() => this.#share('reads', step.accountId, run))
    return this.#takeTurn(() => this.#share('writes', step.accountId, run))
  }

  transact<T>(work: () => Transaction<T>, { snapshot = false } = {}): Promise<T> {
    return this.#takeTurn(() => this.#transactOnce(work, snapshot), snapshot)
  }

  migrationLock(): CompiledQuery[] {
    return [...this.#host.migrationLock]
  }

  findTable(name: string): CompiledQuery {
    return this.#host.findTable(this.schema, name)
  }

  makeSchema(): Transaction<void> {
    return this.#host.makeSchema(this.schema)
  }

  openHandle(handle: unknown): OpenTransaction {
    return this.#handles.open(handle)
  }

  learnPlace(): Promise<void> {
    return this.#handles.learnPlace()
  }

  isLockTimeout(error: unknown): boolean {
    return this.#host.isLockTimeout(error)
  }

  countWaitingWrites(accountId: string): number {
    return this.#limits.writes.waitingOf(accountId)
  }

  /** The host closes its own instance. */
  async close(): Promise<void> {}

  /**
   * If only one transaction can write, writes run one after the other. A SQLite driver with several connections would
   * wait for the lock on the event loop's thread, where the holder of the lock could not continue.
   */
  #takeTurn<T>(write: () => Promise<T>, hasSnapshot = false): Promise<T> {
    const persist = () => this.#retry(write, hasSnapshot)
    return this.features.hasConcurrentWriters ? persist() : this.#turns.take('write', persist)
  }

  /** If several transactions can write, accounts share the connections. */
  #share<T>(
    use: keyof ConnectionLimits,
    accountId: string | undefined,
    work: () => Promise<T>,
  ): Promise<T> {
    const isShared = this.features.hasConcurrentWriters && accountId !== undefined
    return isShared ? this.#limits[use].run(accountId, work) : work()
  }

  async #transactOnce<T>(work: () => Transaction<T>, snapshot: boolean): Promise<T> {
    const builder = this.#db.transaction()
    const { opening } = this.#host
    const steps = work()
    // Before the transaction begins: the first statement says whose it is.
    let next = steps.next()
    const accountId = next.done ? undefined : next.value.accountId
    let fault: { error: unknown } | undefined
    const run = async (transaction: KyselyRunner): Promise<T> => {
      try {
        if (opening !== undefined) await this.#run(transaction, opening).catch(assertNoTable)
        while (!next.done) next = steps.next(await this.#run(transaction, next.value))
        return next.value
      } catch (error) {
        fault = { error }
        throw error
      }
    }
    try {
      const chosen =
        this.#name === 'postgres' ? builder.setIsolationLevel(isolationLevelOf(snapshot)) : builder
      return await this.#share('writes', accountId, () => chosen.execute(run))
    } catch (error) {
      // If the rollback fails too, Kysely throws that fault.
      throw fault === undefined ? error : fault.error
    }
  }

  #run(runner: KyselyRunner, step: CompiledQuery): Promise<unknown[]> {
    return runOnKysely(runner, this.#name, step)
  }

  async #retry<T>(work: () => Promise<T>, hasSnapshot = false): Promise<T> {
    const deadline = performance.now() + this.#lockTimeoutMs
    for (let attempt = 1; ; attempt++) {
      try {
        await this.#check()
        return await work()
      } catch (error) {
        if (!(await this.#host.waitToRetry(error, attempt, deadline, hasSnapshot)))
          throw this.#host.translate(error)
      }
    }
  }

  /** Runs once: the checked property of a connection does not change. */
  async #check(): Promise<void> {
    const { check } = this.#host
    if (this.#isChecked) return
    const rows = await this.#run(this.#db, check).catch((fault) => this.#refuseDialect(fault))
    const reason = check.explain(rows)
    if (reason !== undefined) throw new ClienteleError('configuration_invalid', reason)
    this.#isChecked = true
  }

  /** A database of the other kind rejects the check with a fault that would not explain the reason. */
  async #refuseDialect(fault: unknown): Promise<never> {
    const other = this.#name === 'sqlite' ? 'postgres' : 'sqlite'
    const isOther = await this.#run(this.#db, hostDialects[other].check).then(
      () => true,
      () => false,
    )
    if (!isOther) throw fault
    throw new ClienteleError(
      'configuration_invalid',
      `This is no database of the dialect '${this.#name}': write kysely(db, { dialect: '${other}' }).`,
    )
  }
}

function assertNoTable(error: unknown): unknown[] {
  if (error instanceof Error && /no such table/.test(error.message)) return []
  throw error
}

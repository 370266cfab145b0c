import { ClienteleError } from '../../base/errors.ts'
import type { OpenTransaction } from '../driver.ts'
import { endedInstead, type HostSession } from '../host-sessions/host-session.ts'
import type { HostTransaction } from '../host-transaction.ts'
import type { CompiledQuery } from '../statement.ts'
import { stateOf, translate } from './faults.ts'

export interface HostTransactionOptions {
  session: HostSession
  /** Queries the database outside of the transaction */
  ask(query: CompiledQuery): Promise<unknown[]>
  known: KnownPlace
}

/** The facts that a driver knows about its database and its handles. */
export interface KnownPlace {
  /** The table that identifies our database, as written in SQL */
  readonly table: string
  /** The last known result of `placeOf` */
  place?: string
  /** The transaction ids of library handles. A `pg` client has several transactions in succession and is not listed. */
  readonly transactionIds: WeakMap<object, string>
}

/** The SQLSTATE of the division by zero in `boundTo` */
const divisionByZero = '22012'

/** Identifies the server, the database and the table: in another database at least one of them differs. */
function placeOf(table: string): string {
  const name = `'${table.replaceAll("'", "''")}'`
  return `concat_ws(' ', extract(epoch from pg_postmaster_start_time()), coalesce(to_regclass(${name})::oid::text, 'none'), (
    select oid from pg_catalog.pg_database where datname = current_database()
  ))`
}

/** Reads the place outside of every transaction of the host's. */
export async function readPlace(
  table: string,
  ask: HostTransactionOptions['ask'],
): Promise<string> {
  const [row] = await ask({ sql: `select ${placeOf(table)} as location`, parameters: [] })
  return readText(row, 'location')
}

/** A transaction that the host has begun on a connection of its own. */
export class PostgresHostTransaction implements OpenTransaction {
  readonly #options: HostTransactionOptions
  /** The id of the transaction that a call was made in */
  readonly #pinned: Promise<string> | undefined
  /** The id of the transaction that has the call's savepoint */
  #entered = ''
  #keepsSnapshot = false
  #hasEnded = false

  constructor(options: HostTransactionOptions, pinned?: Promise<string>) {
    this.#options = options
    this.#pinned = pinned
  }

  get keepsSnapshot(): boolean {
    return this.#keepsSnapshot
  }

  query(step: CompiledQuery): Promise<unknown[]> {
    // A read changes nothing, even in a later transaction.
    if (step.sql.startsWith('select ')) return this.#send(step)
    return this.#send(boundTo(this.#entered, step, this.#options.known.table))
  }

  pin(): PostgresHostTransaction {
    const { session, known } = this.#options
    const knownId = known.transactionIds.get(session.handle)
    const pinned = knownId === undefined ? this.#readId() : Promise.resolve(knownId)
    // The fault is thrown to the call that awaits `#pinned`.
    pinned.catch(() => {})
    return new PostgresHostTransaction(this.#options, pinned)
  }

  async enter(name: string): Promise<void> {
    const { session, known } = this.#options
    const { handle, takesScripts = false } = session
    const pinned = await this.#pinned
    const select = `select pg_current_xact_id()::text as id, ${placeOf(known.table)} as location, current_setting('transaction_isolation') as level`
    if (!takesScripts) await this.save(name)
    const [row] = await this.#run(takesScripts ? `savepoint ${name}; ${select}` : select)
    try {
      // The connection may meanwhile have begun another transaction.
      if (pinned !== undefined && readText(row, 'id') !== pinned) throw endedInstead()
      await this.#assertSamePlace(readText(row, 'location'))
    } catch (error) {
      await this.release(name)
      throw error
    }
    this.#entered = readText(row, 'id')
    this.#keepsSnapshot = !/^read /.test(readText(row, 'level'))
    if (!takesScripts) known.transactionIds.set(handle, this.#entered)
  }

  async settle(): Promise<void> {
    await this.#pinned?.catch(() => {})
  }

  async save(name: string): Promise<void> {
    await this.#run(`savepoint ${name}`)
  }

  async release(name: string): Promise<void> {
    await this.#run(`release savepoint ${name}`)
  }

  async undo(name: string): Promise<void> {
    // The savepoint ended with the transaction.
    if (this.#hasEnded) return
    await this.#run(`rollback to savepoint ${name}`)
  }

  follow(): ReturnType<HostTransaction['follow']> {
    const { ask } = this.#options
    return async (isVisible) => {
      if (await isVisible()) return 'committed'
      const sql = 'select pg_xact_status($1::text::xid8) as outcome'
      const [row] = await ask({ sql, parameters: [await this.#pinned] })
      if (readText(row, 'outcome') === 'in progress') return 'open'
      // The transaction has ended. The row is missing if the host rolled back to a savepoint of its own.
      return (await isVisible()) ? 'committed' : 'rolled_back'
    }
  }

  async #readId(): Promise<string> {
    const [row] = await this.#run('select pg_current_xact_id()::text as id')
    return readText(row, 'id')
  }

  async #assertSamePlace(here: string): Promise<void> {
    const { known, ask } = this.#options
    if (here === known.place) return
    // The place may have changed: after a restore or a failover.
    known.place = await readPlace(known.table, ask)
    if (here !== known.place) throw new ClienteleError('transaction_foreign')
  }

  #run(sql: string): Promise<unknown[]> {
    return this.#send({ sql, parameters: [] })
  }

  async #send(step: CompiledQuery): Promise<unknown[]> {
    try {
      return await this.#options.session.query(step)
    } catch (error) {
      const explained = explain(error)
      if (explained instanceof ClienteleError && explained.code === 'transaction_required')
        this.#hasEnded = true
      throw explained
    }
  }
}

/**
 * Binds a writing statement to a transaction: it fails in another one and outside of transactions. The host's commit
 * may already be queued on the connection, and only the server knows which comes first. PostgreSQL runs a writing CTE
 * even if nothing reads it; this one deletes no row.
 */
function boundTo(transactionId: string, { sql, parameters }: CompiledQuery, table: string) {
  const id = `cast($${parameters.length + 1} as text)`
  const isHere = `case pg_current_xact_id_if_assigned()::text when ${id} then 1 else 0 end`
  const bound = `"clientele_here" as (delete from ${table} where 1 / (${isHere}) = 0)`
  return {
    sql: sql.startsWith('with ') ? `with ${bound}, ${sql.slice(5)}` : `with ${bound} ${sql}`,
    parameters: [...parameters, transactionId],
  }
}

/** Explains a fault to the host, in addition to the usual translation. */
function explain(error: unknown): unknown {
  const state = stateOf(error)
  const code: unknown = Reflect.get(Object(error), 'code')
  // Codes of SQLite and MySQL
  if (typeof code === 'string' && /^(SQLITE_|ER_)/.test(code))
    return new ClienteleError('transaction_foreign', undefined, { cause: error })
  if (state === divisionByZero) return endedInstead(error)
  // There is no transaction, or only the implicit one of a single statement.
  if (state === '25P01')
    return new ClienteleError('transaction_required', undefined, { cause: error })
  if (state === '25006')
    return new ClienteleError(
      'transaction_invalid',
      'The transaction is read only: begin one that may write.',
      { cause: error },
    )
  // The transaction failed earlier, or conflicted with another and has to be started again.
  if (state === '25P02' || state === '40001' || state === '40P01')
    return new ClienteleError('transaction_failed', undefined, { cause: error })
  return translate(error)
}

/** A text column of a row; empty when it is missing. */
function readText(row: unknown, name: string): string {
  const value: unknown = Reflect.get(Object(row), name)
  return typeof value === 'string' ? value : ''
}

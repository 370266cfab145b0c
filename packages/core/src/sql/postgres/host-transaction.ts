import { ClienteleError } from '../../base/errors.ts'
import type { CompiledQuery, OpenTransaction } from '../db.ts'
import { endedInstead, type HostSession } from '../host-sessions/host-session.ts'
import type { HostTransaction } from '../host-transaction.ts'
import { stateOf, translate } from './faults.ts'

export interface HostTransactionOptions {
  session: HostSession
  /** Asks the database outside of the transaction */
  ask(query: CompiledQuery): Promise<unknown[]>
  known: KnownPlace
}

/** What a driver knows of its database, and of the handles that speak to it. */
export interface KnownPlace {
  /** The table by which a database is told from another, as SQL has it */
  readonly table: string
  /** Where the driver itself has seen it last: see `placeOf` */
  place?: string
  /** The transaction that a library's handle has. A client of `pg` has one after the other, and is not among them. */
  readonly transactionIds: WeakMap<object, string>
}

/** What `boundTo` divides by zero for */
const divisionByZero = '22012'

/** The server, the database and the table: in another one each of them, or all three, are others. */
function placeOf(table: string): string {
  const name = `'${table.replaceAll("'", "''")}'`
  return `concat_ws(' ', extract(epoch from pg_postmaster_start_time()), coalesce(to_regclass(${name})::oid::text, 'none'), (
    select oid from pg_catalog.pg_database where datname = current_database()
  ))`
}

/** Asks for the place, outside of every transaction of the host's. */
export async function readPlace(
  table: string,
  ask: HostTransactionOptions['ask'],
): Promise<string> {
  const [row] = await ask({ sql: `select ${placeOf(table)} as whereabouts`, parameters: [] })
  return readText(row, 'whereabouts')
}

/** A transaction that the host has begun on a connection of its own. */
export class PostgresHostTransaction implements OpenTransaction {
  readonly #options: HostTransactionOptions
  /** The id of the transaction that a call is for */
  readonly #pinned: Promise<string> | undefined
  /** The id of the transaction in which the call has its savepoint */
  #entered = ''
  #hasEnded = false

  constructor(options: HostTransactionOptions, pinned?: Promise<string>) {
    this.#options = options
    this.#pinned = pinned
  }

  query(step: CompiledQuery): Promise<unknown[]> {
    // What reads alone leaves nothing behind in a later transaction.
    if (step.sql.startsWith('select ')) return this.#send(step)
    return this.#send(boundTo(this.#entered, step, this.#options.known.table))
  }

  pin(): PostgresHostTransaction {
    const { session, known } = this.#options
    const knownId = known.transactionIds.get(session.handle)
    const pinned = knownId === undefined ? this.#readId() : Promise.resolve(knownId)
    // Whoever goes on in the transaction is told of the fault.
    pinned.catch(() => {})
    return new PostgresHostTransaction(this.#options, pinned)
  }

  async enter(name: string): Promise<void> {
    const { session, known } = this.#options
    const { handle, takesScripts = false } = session
    const pinned = await this.#pinned
    const select = `select pg_current_xact_id()::text as id, ${placeOf(known.table)} as whereabouts`
    if (!takesScripts) await this.save(name)
    const [row] = await this.#run(takesScripts ? `savepoint ${name}; ${select}` : select)
    try {
      // The connection may have gone on to a transaction of somebody else's.
      if (pinned !== undefined && readText(row, 'id') !== pinned) throw endedInstead()
      await this.#assertSamePlace(readText(row, 'whereabouts'))
    } catch (error) {
      await this.release(name)
      throw error
    }
    this.#entered = readText(row, 'id')
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
    // With the transaction the savepoint is gone.
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
      // It has ended. What the host had taken back by a savepoint of its own is not there.
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
    // It may be another since: after a restore, or on the server that has taken over.
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
 * Binds a statement that writes to a transaction: in another one it fails, and outside of all too. The host's end of the
 * transaction may stand in the connection's queue already, and only the server knows what it comes before. A part of a
 * statement that writes is run though nothing reads it; this one writes nothing.
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

/** What the host has to be told of a fault, beside what everybody is told. */
function explain(error: unknown): unknown {
  const state = stateOf(error)
  const code: unknown = Reflect.get(Object(error), 'code')
  // Names of SQLite's and of MySQL's faults
  if (typeof code === 'string' && /^(SQLITE_|ER_)/.test(code))
    return new ClienteleError('transaction_foreign', undefined, { cause: error })
  if (state === divisionByZero) return endedInstead(error)
  // No transaction, or only the one that a single statement has.
  if (state === '25P01')
    return new ClienteleError('transaction_required', undefined, { cause: error })
  if (state === '25006')
    return new ClienteleError(
      'transaction_invalid',
      'The transaction is read only: begin one that may write.',
      { cause: error },
    )
  // It had failed before, or has to be begun anew: it met another's work.
  if (state === '25P02' || state === '40001' || state === '40P01')
    return new ClienteleError('transaction_failed', undefined, { cause: error })
  return translate(error)
}

/** A text of a row; empty where there is none. */
function readText(row: unknown, name: string): string {
  const value: unknown = Reflect.get(Object(row), name)
  return typeof value === 'string' ? value : ''
}

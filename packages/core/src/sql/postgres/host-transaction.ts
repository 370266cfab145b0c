import { ClienteleError } from '../../errors.ts'
import type { TransactionOutcome } from '../../repository.ts'
import type { CompiledQuery, OpenTransaction } from '../db.ts'
import { stateOf, translate } from './faults.ts'
import type { PostgresQuery } from './pool.ts'

/** What we use of a `pg` client that the host has begun a transaction on, typed by structure. */
export interface PostgresTransactionClient {
  /** Of several statements at once there are several results. */
  query(query: PostgresQuery): Promise<QueryResult | QueryResult[]>
}

interface QueryResult {
  rows: unknown[]
}

export interface HostTransactionOptions {
  client: PostgresTransactionClient
  /** As the driver sends its own, but without names: the connection is the host's */
  toQuery(step: CompiledQuery): PostgresQuery
  /** Asks the database outside of the transaction */
  ask(query: PostgresQuery): Promise<unknown[]>
  /** The table by which a database is told from another */
  table: string
  /** The clients that have been seen to be connected to our database */
  known: WeakSet<object>
}

/** The server, the database and the table: in another one each of them, or all three, are others. */
const selectPlace = `select concat_ws(' ', pg_postmaster_start_time(), to_regclass($1)::oid, (
  select oid from pg_catalog.pg_database where datname = current_database()
)) as place where to_regclass($1) is not null`

/** @throws ClienteleError `transaction_invalid` */
export function assertClient(handle: unknown): asserts handle is PostgresTransactionClient {
  const isObject = typeof handle === 'object' && handle !== null
  if (!isObject || typeof Reflect.get(handle, 'query') !== 'function')
    throw invalid('within() takes the pg client on which your transaction has begun.')
  if (Reflect.has(handle, 'totalCount'))
    throw invalid('within() was given a pool: give it the client that has begun the transaction.')
  if (Reflect.has(handle, 'native'))
    throw invalid('within() takes a client of pg, not of pg.native.')
}

function invalid(message: string): ClienteleError {
  return new ClienteleError('transaction_invalid', message)
}

/** A transaction that the host has begun on a client of its own. */
export class PostgresHostTransaction implements OpenTransaction {
  readonly #options: HostTransactionOptions
  /** Of the transaction in which the last savepoint was set; a client may have one after the other */
  #transactionId = ''

  constructor(options: HostTransactionOptions) {
    this.#options = options
  }

  query(step: CompiledQuery): Promise<unknown[]> {
    return this.#send(this.#options.toQuery(step))
  }

  async save(name: string): Promise<void> {
    const text = `savepoint ${name}; select pg_current_xact_id()::text as id`
    const [row] = await this.#send({ text })
    this.#transactionId = readText(row, 'id')
    await this.#assertSamePlace()
  }

  async release(name: string): Promise<void> {
    await this.#send({ text: `release savepoint ${name}` })
  }

  async undo(name: string): Promise<void> {
    await this.#send({ text: `rollback to savepoint ${name}` })
  }

  follow(): () => Promise<TransactionOutcome> {
    const values = [this.#transactionId]
    return async () => {
      const text = 'select pg_xact_status($1::text::xid8) as status'
      const [row] = await this.#options.ask({ text, values })
      const status = readText(row, 'status')
      // Empty: so long ago that nobody knows.
      return status === 'in progress' ? 'open' : status === 'committed' ? status : 'rolled_back'
    }
  }

  async #assertSamePlace(): Promise<void> {
    const { client, ask, table, known } = this.#options
    if (known.has(client)) return
    const query = { text: selectPlace, values: [table] }
    const [[there], [here]] = await Promise.all([this.#send(query), ask(query)])
    const place = readText(there, 'place')
    if (place === '' || place !== readText(here, 'place'))
      throw new ClienteleError('transaction_foreign')
    known.add(client)
  }

  async #send(query: PostgresQuery): Promise<unknown[]> {
    try {
      const result = await this.#options.client.query(query)
      const last = Array.isArray(result) ? result.at(-1) : result
      return last?.rows ?? []
    } catch (error) {
      throw explain(error)
    }
  }
}

/** What the host has to be told of a fault, beside what everybody is told. */
function explain(error: unknown): unknown {
  const state = stateOf(error)
  // No transaction, or only the one that a single statement has.
  if (state === '25P01')
    return new ClienteleError('transaction_required', undefined, { cause: error })
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

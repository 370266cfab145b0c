import { Client } from 'pg'
import { afterAll, beforeAll, expect } from 'vitest'
import { type OpenDatabase, openDatabase } from './databases.ts'
import { runSql } from './run-sql.ts'

/** A PostgreSQL whose locks transactions hold while others wait for them. */
export class RowLocks {
  readonly #clients: Client[] = []
  #database: OpenDatabase | undefined

  async open(): Promise<void> {
    this.#database = await openDatabase('postgres')
  }

  get url(): string {
    if (this.#database === undefined) throw new Error('The database is not open.')
    return this.#database.url
  }

  async begin(): Promise<Client> {
    const client = new Client({ connectionString: this.url })
    await client.connect()
    this.#clients.push(client)
    await client.query('begin')
    return client
  }

  /** Returns when a statement waits for a lock, and begins so. */
  async untilWaiting(beginning: string): Promise<void> {
    const read = () =>
      runSql(
        this.url,
        `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
           and query like '${beginning}%'`,
      )
    await expect.poll(read, { interval: 10, timeout: 10_000 }).not.toEqual([])
  }

  async close(): Promise<void> {
    await Promise.all(this.#clients.map((client) => client.end()))
    await this.#database?.close()
  }
}

/** Opens one before the tests of a file, or of a part of it, and closes it after them. */
export function useRowLocks(): RowLocks {
  const locks = new RowLocks()
  beforeAll(() => locks.open())
  afterAll(() => locks.close())
  return locks
}

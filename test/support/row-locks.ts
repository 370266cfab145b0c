import { Client } from 'pg'
import { expect } from 'vitest'
import { runSql } from './run-sql.ts'

/** Transactions that hold locks of a PostgreSQL while others wait for them. */
export class RowLocks {
  readonly #readUrl: () => string
  readonly #clients: Client[] = []

  constructor(readUrl: () => string) {
    this.#readUrl = readUrl
  }

  async begin(): Promise<Client> {
    const client = new Client({ connectionString: this.#readUrl() })
    await client.connect()
    this.#clients.push(client)
    await client.query('begin')
    return client
  }

  /** Returns when a statement waits for a lock, and begins so. */
  async untilWaiting(beginning: string): Promise<void> {
    const read = () =>
      runSql(
        this.#readUrl(),
        `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
           and query like '${beginning}%'`,
      )
    await expect.poll(read, { interval: 10, timeout: 10_000 }).not.toEqual([])
  }

  async close(): Promise<void> {
    await Promise.all(this.#clients.map((client) => client.end()))
  }
}

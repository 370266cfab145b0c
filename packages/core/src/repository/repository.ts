import type { SecretStore } from '../base/crypto/stored-secrets.ts'
import type { PoolLoad } from '../base/observe/gauges.ts'
import type { HostTransaction } from '../sql/host-transaction.ts'
import type { Stores } from './stores.ts'

/**
 * Every query that an action needs. The account's id is always the first argument, and no method returns or changes
 * data of another account. Methods without it are about data that belongs to no account.
 *
 * An implementation throws `ClienteleError` `storage_unavailable` when the database does not answer.
 */
export interface Repository extends Stores {
  storage: StorageStore
}

/** Milliseconds since the epoch */
export interface SweepTimes {
  /** What ended before this is deleted */
  now: number
  eventsBefore: number
}

/** The storage of all data. */
export interface StorageStore extends SecretStore {
  /** The database's name in OpenTelemetry (`db.system.name`) */
  system: 'postgresql' | 'sqlite'
  /** The load of the connection pool; undefined with a single connection, or when the host's pool does not count. */
  poolLoad?(): PoolLoad | undefined
  /** How many writes of an account wait for a connection. @default none ever does */
  waitingWrites?: ((accountId: string) => number) | undefined
  /**
   * Migrates the schema and returns the names of the steps that were applied.
   *
   * @param options.distribute also distributes the tables by account, on PostgreSQL with the extension Citus; see
   *   guides/postgresql.md. Distributed tables are left as they are. Each other table is a step: `distribute` and its
   *   name. @default false; a database that is distributed stays so
   * @throws ClienteleError `configuration_invalid` with `distribute` on SQLite, or without the extension
   */
  migrate(options?: { distribute?: boolean }): Promise<string[]>
  /** Returns the names of the steps that `migrate` would apply. Writes nothing. */
  missingMigrations(): Promise<string[]>
  /**
   * Deletes the expired rows of the next accounts, in the order of their ids. Returns the accounts whose oldest event
   * is older than the given time. `next` is where to continue; undefined: all accounts are done.
   */
  sweep(
    afterAccountId: string,
    times: SweepTimes,
  ): Promise<{ agedFeeds: string[]; next: string | undefined }>
  /** When the newest of the events that are older than this was written, of any account; undefined: there is none. */
  findNewestEvent(before: number): Promise<number | undefined>
  /** The time of the database's server, in milliseconds since the epoch; undefined: it has no clock of its own. */
  readTime?: (() => Promise<number>) | undefined
  /** @throws ClienteleError `storage_unavailable` */
  ping(): Promise<void>
  close(): Promise<void>
  /** Joins transactions of the host's. */
  host: HostTransactions
  /** A secret stored beside the data, if the storage has a place that only its owner may read. */
  localSecret?(): { secret: string; madeFile?: string; openFile?: string }
}

export interface HostTransactions {
  /** @throws ClienteleError `transaction_invalid` when the handle is not a transaction */
  open(handle: unknown): HostTransaction
  /** Creates stores that work in one transaction of the host's at a time. */
  join(): JoinedStores
}

export interface JoinedStores {
  stores: Stores
  /**
   * Runs a call of the stores in the transaction. If it fails, its writes are rolled back.
   *
   * @throws ClienteleError `transaction_required`, `transaction_failed`, `transaction_foreign`
   */
  run<T>(transaction: HostTransaction, call: () => Promise<T>): Promise<T>
}

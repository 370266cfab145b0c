import type { SecretStore } from '../base/crypto/stored-secrets.ts'
import type { PoolLoad } from '../base/observe/gauges.ts'
import type { HostTransaction } from '../sql/host-transaction.ts'
import type { Stores } from './stores.ts'

/**
 * Every query that an action needs. The account's id is always the first argument, and no method answers with, or
 * changes, anything of another account. Methods without it are about what belongs to no account.
 *
 * An implementation throws `ClienteleError` `storage_unavailable` when the database does not answer.
 */
export interface Repository extends Stores {
  storage: StorageStore
}

/** The place where all of it is kept. */
export interface StorageStore extends SecretStore {
  /** Which database it is, as OpenTelemetry names it (`db.system.name`) */
  system: 'postgresql' | 'sqlite'
  /** Says how busy the connections are; undefined where there is one, or a pool of the host's does not count. */
  poolLoad?(): PoolLoad | undefined
  /** Brings the schema up to date and answers with the names of the steps that were applied now. */
  migrate(): Promise<string[]>
  /** Answers with the names of the steps that `migrate` would apply, and writes nothing. */
  missingMigrations(): Promise<string[]>
  /**
   * Deletes the rows whose time is over of the next accounts, in the order of their ids, and answers with the accounts whose
   * oldest event is older than that. `next` is where to go on; undefined: that was all of them.
   */
  sweep(
    afterAccountId: string,
    times: { now: number; eventsBefore: number },
  ): Promise<{ agedFeeds: string[]; next: string | undefined }>
  /** @throws ClienteleError `storage_unavailable` */
  ping(): Promise<void>
  close(): Promise<void>
  /** Lets us take part in transactions of the host's. */
  host: HostTransactions
  /** A secret kept beside the data, where the storage has a place that only its owner may read. */
  localSecret?(): { secret: string; madeFile?: string; openFile?: string }
}

export interface HostTransactions {
  /** @throws ClienteleError `transaction_invalid` when it is no handle of one */
  open(handle: unknown): HostTransaction
  /** Makes stores that work in one such transaction at a time. */
  join(): JoinedStores
}

export interface JoinedStores {
  stores: Stores
  /**
   * Runs a call of the stores in the transaction: what it writes stays there, or with its failure nothing.
   *
   * @throws ClienteleError `transaction_required`, `transaction_failed`, `transaction_foreign`
   */
  run<T>(transaction: HostTransaction, call: () => Promise<T>): Promise<T>
}

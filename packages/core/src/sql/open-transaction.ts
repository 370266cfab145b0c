import type { HostTransaction } from '../repository.ts'
import type { CompiledQuery } from './db.ts'

/** A transaction of the host's, as statements reach it. Faults are told as the driver tells those of its own. */
export interface OpenTransaction extends HostTransaction {
  query(step: CompiledQuery): Promise<unknown[]>
  /**
   * Sets a savepoint.
   *
   * @throws ClienteleError `transaction_required`, `transaction_failed`, `transaction_foreign`
   */
  save(name: string): Promise<void>
  release(name: string): Promise<void>
  /** Undoes what was written since the savepoint, which stays. */
  undo(name: string): Promise<void>
}

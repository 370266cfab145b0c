export type TransactionOutcome = 'open' | 'committed' | 'rolled_back'

/** A transaction that the host begins and ends. */
export interface HostTransaction {
  /**
   * Binds a call to the transaction that is open when the call is made, as far as the database can tell transactions
   * apart: one handle may have several in succession.
   */
  pin(): HostTransaction
  /** Resolves when `pin` has nothing left to do. */
  settle(): Promise<void>
  /** Returns a function that finds out whether the transaction in which we wrote last was committed. */
  follow(): (isVisible: () => Promise<boolean>) => Promise<TransactionOutcome>
}

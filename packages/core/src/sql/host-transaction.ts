export type TransactionOutcome = 'open' | 'committed' | 'rolled_back'

/** A transaction that the host began, and ends. */
export interface HostTransaction {
  /**
   * Binds a call to the transaction that is open when the call is made, as far as the database tells one from the next: a
   * handle may have one after the other.
   */
  pin(): HostTransaction
  /** Resolves once nothing of `pin` is under way. */
  settle(): Promise<void>
  /** Answers with what tells what has become of the transaction in which we have written last. */
  follow(): (isVisible: () => Promise<boolean>) => Promise<TransactionOutcome>
}

// Times are milliseconds since the epoch.

export interface RateLimitCount {
  points: number
  expiresAt: number
}

export interface RateLimitCountStore {
  /** Adds to a count, or begins one that lasts until `expiresAt`; returns the new count. */
  add(
    accountId: string,
    key: string,
    points: number,
    now: number,
    expiresAt: number,
  ): Promise<RateLimitCount>
  /**
   * Finds a count whose window has not ended. One that ends later than a window from now began while the clock was
   * ahead: it is over.
   */
  find(
    accountId: string,
    key: string,
    now: number,
    windowMs: number,
  ): Promise<RateLimitCount | undefined>
  /** Returns whether there was such a count. */
  clear(accountId: string, key: string): Promise<boolean>
}

/** Tasks that run and tasks that wait */
export interface QueueLoad {
  running: number
  waiting: number
}

/** The connections of a pool, and the requests that wait for one */
export interface PoolLoad {
  inUse: number
  idle: number
  waiting: number
}

/** The current load of a Clientele. Queues and the pool are those of this process. */
export interface Gauges {
  /** Password hashes */
  hashing: QueueLoad
  /** E-mails */
  mails: QueueLoad
  /** Undefined: the database is in-process, or the host's pool does not report it */
  pool: PoolLoad | undefined
  /**
   * How long the most overdue webhook delivery has been due, in seconds; 0: none is due. It covers all processes. A
   * delivery that waits for its next attempt is not due. Undefined: the database does not answer
   */
  webhookLagSeconds: number | undefined
}

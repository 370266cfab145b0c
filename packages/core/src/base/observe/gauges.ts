/** Tasks that have begun, and those that wait for their turn */
export interface QueueLoad {
  running: number
  waiting: number
}

/** The connections of a pool, and who waits for one */
export interface PoolLoad {
  inUse: number
  idle: number
  waiting: number
}

/** How busy a Clientele is at a moment. Queues and the pool are those of this process. */
export interface Gauges {
  /** Password hashes */
  hashing: QueueLoad
  /** Mails */
  mails: QueueLoad
  /** Undefined: the database is in the process, or a pool of the host's does not say */
  pool: PoolLoad | undefined
  /**
   * For how long what is longest due to a webhook has been due, in seconds; 0: nothing is due. It is that of all processes.
   * What waits for its next attempt is not due before that. Undefined: the database does not answer
   */
  webhookLagSeconds: number | undefined
}

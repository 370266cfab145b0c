/** What a write needs to keep its answer, so that a repeat of the request is answered as the first was. */
export interface NewReply {
  /** `createUser`: a key counts for one operation */
  operation: string
  /** What the caller sent as `Idempotency-Key` */
  key: string
  /** A keyed digest of what was asked for: see `Encryptor.digest` */
  digest: string
  /** Milliseconds since the epoch */
  now: number
  expiresAt: number
}

/** What is kept of an answer */
export interface KeptAnswer {
  /** The user that it tells of, who may be erased; null: it tells of none */
  userId: string | null
  /** Whatever JSON can carry: `answerOnce` answers a repeat with it */
  answer: unknown
}

export interface StoredReply {
  digest: string
  /** JSON of what the first request was answered with */
  answer: string
}

export interface IdempotencyStore {
  /** Finds the answer that was kept under a key, unless its time is over. */
  find(
    accountId: string,
    operation: string,
    key: string,
    now: number,
  ): Promise<StoredReply | undefined>
  /**
   * Keeps the answer of a request that had nothing to write; a write keeps its own.
   *
   * @throws ClienteleError `idempotency_in_progress` when the key has an answer already
   */
  keep(accountId: string, reply: NewReply, answer: KeptAnswer): Promise<void>
}

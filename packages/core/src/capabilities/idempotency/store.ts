/** The data that a write needs to store its response for repeats of the request. */
export interface NewReply {
  /** `createUser`: a key is valid for one operation */
  operation: string
  /** The key that the caller sent as `Idempotency-Key` */
  key: string
  /** A keyed digest of the input: see `Encryptor.digest` */
  digest: string
  /** Milliseconds since the epoch */
  now: number
  expiresAt: number
}

/** The stored part of a response */
export interface KeptAnswer {
  /** The user that the response is about, who may be erased; null: none */
  userId: string | null
  /** Any JSON value: `answerOnce` returns it to a repeat */
  answer: unknown
}

export interface StoredReply {
  digest: string
  /** The first response, as JSON */
  answer: string
}

export interface IdempotencyStore {
  /** Finds the response that is stored under a key, unless it has expired. */
  find(
    accountId: string,
    operation: string,
    key: string,
    now: number,
  ): Promise<StoredReply | undefined>
  /**
   * Stores the response of a request about a user that writes nothing else; a write stores its own. Returns false, and
   * stores nothing, if the user is gone.
   *
   * @throws ClienteleError `idempotency_in_progress` when the key already has a response
   */
  keepAbout(accountId: string, userId: string, reply: NewReply, answer: unknown): Promise<boolean>
}

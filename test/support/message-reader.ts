/** Cuts the stream of one side of PostgreSQL's protocol into its messages. */
export class MessageReader {
  #rest: Buffer = Buffer.alloc(0)
  /** A message begins with its type and its length; a client's first ones have no type. */
  #typeBytes: 0 | 1

  constructor({ startsUntyped = false } = {}) {
    this.#typeBytes = startsUntyped ? 0 : 1
  }

  /** From the next message on they have a type. */
  expectTyped(): void {
    this.#typeBytes = 1
  }

  *read(chunk: Buffer): Generator<Buffer> {
    this.#rest = Buffer.concat([this.#rest, chunk])
    for (;;) {
      const head = this.#typeBytes + 4
      if (this.#rest.length < head) return
      const end = this.#typeBytes + this.#rest.readInt32BE(this.#typeBytes)
      if (this.#rest.length < end) return
      const message = this.#rest.subarray(0, end)
      this.#rest = this.#rest.subarray(end)
      yield message
    }
  }
}

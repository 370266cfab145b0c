/** How many pieces a body may have, however small they are: the bodies of usual senders have fewer small ones. */
const maxSmallPieces = 500
/** How many bytes the pieces of any other body must have on average: even a slow network makes larger ones. */
const minMeanBytes = 64

/** Counts the pieces of a body: each costs a callback and some memory, however short it is. */
export class PieceCount {
  #pieces = 0
  #bytes = 0

  get count(): number {
    return this.#pieces
  }

  /** How many bytes have come */
  get bytes(): number {
    return this.#bytes
  }

  /** Whether the body comes in too many small pieces */
  get isTooFine(): boolean {
    return this.#pieces > maxSmallPieces && this.#bytes < this.#pieces * minMeanBytes
  }

  add(bytes: number): void {
    this.#pieces++
    this.#bytes += bytes
  }
}

/** More pieces than the body of any usual sender has, unless the pieces are larger than these. */
const maxSmallPieces = 500
/** More pieces must have this many bytes each on average: a slow network makes larger ones. */
const minMeanBytes = 64

/** Counts the pieces of a body: each costs a callback and some memory, however short it is. */
export class PieceCount {
  #pieces = 0
  #bytes = 0

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

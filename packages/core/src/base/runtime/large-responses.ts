import { setImmediate as endOfTurn } from 'node:timers/promises'
import { type WaitingCaller, whileAdmitted } from '../call/while-admitted.ts'
import { FairLimit } from './fair-limit.ts'

/** A response whose source takes more memory than this takes milliseconds to read and to render, in bytes. */
const mostOfSmall = 256 * 1024
/** How many accounts with large responses are remembered, of each kind */
const maxAccounts = 10_000
/** A part of a response ends with the piece that reaches this size, in bytes. */
export const partLength = 32 * 1024
/** How many responses of an account may wait: more than its requests may */
const maxWaiting = 1_100
/** While the sources of an account's responses take this much, no further one is read, in bytes. */
const mostHeld = 16 * 1024 * 1024

export type ResponseKind = 'list' | 'batch' | 'tokens'

/** A body in parts, and what its source takes until all have been made, in bytes. */
export interface HeldParts {
  stream: AsyncIterable<Uint8Array<ArrayBuffer>>
  heldBytes: number
}

/** Runs a read in one of the places of the process. */
export type InPlace = <T>(read: () => Promise<T>) => Promise<T>

/**
 * Pages of feeds, and the lists and batches of users and of tokens of accounts that had a large one. One of an account is
 * read at a time, while few others of it are being sent, for a caller who may read still; one is rendered in a turn of the
 * event loop, or one part of those that are large. An event wakes a hundred waiting readers, who would otherwise all read
 * and render it in one turn.
 */
export class LargeResponses {
  readonly #accounts: Record<ResponseKind, Set<string>> = {
    list: new Set(),
    batch: new Set(),
    tokens: new Set(),
  }
  /** Waiting for room takes none of the places of `#reads`. */
  readonly #turns = new FairLimit({
    atOnce: Number.POSITIVE_INFINITY,
    atOncePerKey: 1,
    maxWaiting,
    retryAfterSeconds: 1,
  })
  readonly #reads = new FairLimit({
    atOnce: 4,
    maxWaiting: Number.POSITIVE_INFINITY,
    retryAfterSeconds: 1,
  })
  readonly #parts = new FairLimit({
    atOnce: 1,
    maxWaiting: Number.POSITIVE_INFINITY,
    retryAfterSeconds: 1,
  })
  /** What is being sent, by account */
  readonly #held = new Map<string, { bytes: number; onRoom?: (() => void) | undefined }>()

  has(kind: ResponseKind, accountId: string): boolean {
    return this.#accounts[kind].has(accountId)
  }

  /** Whether a response whose source takes that many bytes is to be rendered in parts. */
  isLarge(bytes: number): boolean {
    return bytes > mostOfSmall
  }

  /** Remembers the account if its response is large: if its source takes that many bytes. */
  note(kind: ResponseKind, accountId: string, bytes: number): void {
    const accounts = this.#accounts[kind]
    if (!this.isLarge(bytes) || accounts.has(accountId)) return
    const [oldest] = accounts
    if (oldest !== undefined && accounts.size >= maxAccounts) accounts.delete(oldest)
    accounts.add(accountId)
  }

  /** @throws ClienteleError `overloaded` when too many responses of the account wait, or the caller has gone; what
   *   `stayAdmitted` throws; any error of `read` */
  read<T>(call: WaitingCaller, read: () => Promise<T>): Promise<T> {
    return this.readParts(call, (inPlace) => inPlace(read))
  }

  /**
   * The same for a source that is read in parts. What happens in between takes no place.
   *
   * @throws ClienteleError `overloaded` when too many responses of the account wait, or the caller has gone; what
   *   `stayAdmitted` throws; any error of `read`
   */
  readParts<T>(call: WaitingCaller, read: (inPlace: InPlace) => Promise<T>): Promise<T> {
    const { accountId } = call
    return this.#turns.run(accountId, async () => {
      await this.#whenThereIsRoom(accountId)
      const source = await read((part) => this.#reads.run(accountId, whileAdmitted(call, part)))
      await endOfTurn()
      return source
    })
  }

  /**
   * Renders a body, in parts: in a turn of the event loop one part of all that are being sent.
   *
   * @param pieces makes each when it is taken
   * @param heldBytes what they are made from
   */
  render(accountId: string, pieces: Iterable<Uint8Array>, heldBytes: number): HeldParts {
    return { stream: this.#renderParts(accountId, pieces, heldBytes), heldBytes }
  }

  async *#renderParts(
    accountId: string,
    pieces: Iterable<Uint8Array>,
    heldBytes: number,
  ): AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined> {
    const left = pieces[Symbol.iterator]()
    this.#hold(accountId, heldBytes)
    try {
      for (;;) {
        const part = await this.#parts.run(accountId, async () => {
          const taken = takePart(left)
          await endOfTurn()
          return taken
        })
        if (part.byteLength === 0) return
        yield part
      }
    } finally {
      this.#release(accountId, heldBytes)
    }
  }

  async #whenThereIsRoom(accountId: string): Promise<void> {
    const held = this.#held.get(accountId)
    if (held === undefined || held.bytes < mostHeld) return
    await new Promise<void>((resolve) => {
      held.onRoom = resolve
    })
  }

  #hold(accountId: string, bytes: number): void {
    const held = this.#held.get(accountId)
    if (held === undefined) this.#held.set(accountId, { bytes })
    else held.bytes += bytes
  }

  #release(accountId: string, bytes: number): void {
    const held = this.#held.get(accountId)
    if (held === undefined) return
    held.bytes -= bytes
    if (held.bytes < mostHeld) held.onRoom?.()
    if (held.bytes === 0) this.#held.delete(accountId)
  }
}

/** Empty at the end. */
function takePart(pieces: Iterator<Uint8Array, unknown>): Uint8Array<ArrayBuffer> {
  const taken: Uint8Array[] = []
  for (let length = 0; length < partLength; ) {
    const { value, done } = pieces.next()
    if (done === true) break
    taken.push(value)
    length += value.byteLength
  }
  return Buffer.concat(taken)
}

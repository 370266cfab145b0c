import { overloaded } from '../errors.ts'

/** How many bytes of one account's bodies may be received and worked on at the same time */
const roomBytes = 2 * 1024 * 1024
/** How many bytes of one account's bodies may wait for room, unread */
const maxWaitingBytes = 16 * 1024 * 1024
/** The size that a shorter body counts for: its request takes memory, too */
const minBytes = 1024

export interface RoomRequest {
  accountId: string
  /** The most bytes that the body may have */
  bytes: number
  /** Whether the caller has stopped waiting for a response */
  isGone: () => boolean
}

interface Share {
  heldBytes: number
  waitingBytes: number
  /** In the order in which they came */
  waiting: { bytes: number; start: () => void }[]
}

/**
 * Bounds the memory that an account's bodies take: a body is read when there is room for it, and holds its room until
 * its request has been answered. Parsed, it takes up to twenty times its size. Accounts do not share room: a caller who
 * sends slowly delays only its own account.
 */
export class BodyRoom {
  readonly #shares = new Map<string, Share>()

  /**
   * @param work is given a function to tell how many bytes the body has, once that is known: it may be fewer than the most
   * @throws ClienteleError `overloaded` when too many bytes wait, or the caller is gone; any error of the work
   */
  async hold<T>(
    { accountId, bytes, isGone }: RoomRequest,
    work: (shrinkTo: (bytes: number) => void) => Promise<T>,
  ): Promise<T> {
    const share = this.#find(accountId)
    let size = Math.max(minBytes, bytes)
    if (share.waiting.length === 0 && fits(share, size)) share.heldBytes += size
    else await wait(share, size)
    const shrinkTo = (known: number) => {
      const rest = Math.min(size, Math.max(minBytes, known))
      share.heldBytes -= size - rest
      size = rest
      startNext(share)
    }
    try {
      if (isGone()) throw overloaded()
      return await work(shrinkTo)
    } finally {
      share.heldBytes -= size
      startNext(share)
      if (share.heldBytes === 0) this.#shares.delete(accountId)
    }
  }

  #find(accountId: string): Share {
    const known = this.#shares.get(accountId)
    if (known !== undefined) return known
    const share = { heldBytes: 0, waitingBytes: 0, waiting: [] }
    this.#shares.set(accountId, share)
    return share
  }
}

/** One body alone always fits. */
function fits({ heldBytes }: Share, bytes: number): boolean {
  return heldBytes === 0 || heldBytes + bytes <= roomBytes
}

function wait(share: Share, bytes: number): Promise<void> {
  if (share.waitingBytes + bytes > maxWaitingBytes) throw overloaded()
  share.waitingBytes += bytes
  return new Promise((resolve) => {
    share.waiting.push({ bytes, start: resolve })
  })
}

function startNext(share: Share): void {
  for (;;) {
    const [next] = share.waiting
    if (next === undefined || !fits(share, next.bytes)) return
    share.waiting.shift()
    share.waitingBytes -= next.bytes
    share.heldBytes += next.bytes
    next.start()
  }
}

import type { IncomingMessage } from 'node:http'

/**
 * The body of a request. Usually it has arrived with the head and is then read in one piece: iterating over a Node
 * stream costs as much as the rest of the reading.
 */
export function readAtOnce(
  req: IncomingMessage,
): AsyncIterable<Uint8Array> & { readableDidRead: boolean } {
  return new Body(req)
}

/** A class, because the name of the iterator's method, computed for each request, took a hundredth of a validation. */
class Body implements AsyncIterable<Uint8Array> {
  readonly readableDidRead: boolean
  readonly #req: IncomingMessage

  constructor(req: IncomingMessage) {
    this.readableDidRead = req.readableDidRead
    this.#req = req
  }

  [Symbol.asyncIterator](): BodyIterator {
    return new BodyIterator(this.#req)
  }
}

class BodyIterator implements AsyncIterator<Uint8Array> {
  readonly #req: IncomingMessage
  #isWhole = false
  #rest: AsyncIterator<Uint8Array> | undefined

  constructor(req: IncomingMessage) {
    this.#req = req
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    if (this.#isWhole) return { done: true, value: undefined }
    if (this.#rest === undefined) {
      // Data of the same packet is delivered before this continues.
      await null
      const bytes = this.#readWhole()
      if (bytes !== undefined) return { done: false, value: bytes }
      this.#rest = this.#req[Symbol.asyncIterator]()
    }
    return this.#rest.next()
  }

  #readWhole(): Uint8Array | undefined {
    const req = this.#req
    const { destroyed, readableFlowing, readableEncoding, readableLength } = req
    const isUntouched = !destroyed && readableFlowing === null && readableEncoding === null
    if (!isUntouched || readableLength === 0) return undefined
    if (readableLength !== Number(req.headers['content-length'])) return undefined
    const bytes: unknown = req.read()
    if (!(bytes instanceof Uint8Array)) return undefined
    this.#isWhole = true
    // The stream still has to emit `end` for other listeners.
    req.resume()
    return bytes
  }
}

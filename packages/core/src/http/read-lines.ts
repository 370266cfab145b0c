import { setImmediate as endOfTurn } from 'node:timers/promises'
import pTimeout from 'p-timeout'
import { ClienteleError } from '../base/errors.ts'
import { boundJson } from './bound-json.ts'
import type { BodyLine, BodyLines, HttpRequest } from './message.ts'
import { type BodyRules, findBody, maxBodyBytesOf } from './read-body.ts'

/** The maximum size of a line: that of a body with one user. */
const maxLineBytes = 64 * 1024
/** How many bytes are parsed before others have a turn: 5,000 new names in them take milliseconds. */
const bytesAtOnce = 32 * 1024
/** The work of a line, in bytes, in addition to its own: empty lines make no user, and so no pause. */
const costOfLine = 32
const lineFeed = 10
/** Space, tab and carriage return: a line of these is empty. */
const blanks = new Set([32, 9, 13])

/** How long a body may bring nothing, and how long its reader may wait for it in all, in milliseconds. */
const usualPatience = { silenceMs: 30_000, totalMs: 300_000 }

/** How long the rest of a refused body may come before the response is sent, in milliseconds */
const dropMs = 5_000

const decoder = new TextDecoder('utf-8', { fatal: true })
const noJson = 'is not valid JSON: each line holds one user, as one object'

/**
 * Opens a body that is read line by line. Little of it is in memory at a time.
 *
 * @throws ClienteleError `media_type_unsupported`, `body_too_large`, `malformed_json`; `configuration_invalid` when the
 *   host has read the body and kept nothing
 */
export function openLines(
  request: HttpRequest,
  rules: BodyRules,
  isGone: () => boolean,
  patience = usualPatience,
): BodyLines {
  const found = findBody(request, rules)
  const { takesLines: { maxLines = 0 } = {} } = rules
  const limits = { maxBytes: maxBodyBytesOf(rules), maxLines, ...patience }
  if (found === undefined)
    return new LineReader(request.body[Symbol.asyncIterator](), limits, isGone)
  // A parser of JSON has taken a single line for a body.
  const bytes = 'bytes' in found ? found.bytes : Buffer.from(JSON.stringify(found.parsed))
  return new LineReader(new Set([bytes]).values(), limits, isGone)
}

interface Limits {
  maxBytes: number
  maxLines: number
  silenceMs: number
  totalMs: number
}

interface Chunks {
  next(): Promise<IteratorResult<Uint8Array>> | IteratorResult<Uint8Array>
}

class LineReader implements BodyLines {
  cutAtLine: number | null = null
  readonly #chunks: Chunks
  readonly #limits: Limits
  readonly #isGone: () => boolean
  #line = 0
  #bytes = 0
  #waitedMs = 0
  #pieces: Uint8Array[] = []
  #pieceBytes = 0
  #work = 0
  #isOver = false
  #isDropped = false

  constructor(chunks: Chunks, limits: Limits, isGone: () => boolean) {
    this.#chunks = chunks
    this.#limits = limits
    this.#isGone = isGone
  }

  /** @throws ClienteleError `malformed_json` when the body breaks off */
  async *[Symbol.asyncIterator](): AsyncGenerator<BodyLine, void, undefined> {
    for (;;) {
      const chunk = await this.#read()
      if (typeof chunk === 'string') return yield this.#cut(chunk)
      if (chunk === undefined) break
      let start = 0
      for (let end = chunk.indexOf(lineFeed); end !== -1; end = chunk.indexOf(lineFeed, start)) {
        this.#keep(chunk.subarray(start, end))
        start = end + 1
        if (this.#line === this.#limits.maxLines) return yield this.#cutTooMany()
        const line = this.#take()
        if (line !== undefined) yield line
        if (this.#work < bytesAtOnce) continue
        this.#work = 0
        await endOfTurn()
      }
      this.#keep(chunk.subarray(start))
    }
    if (this.#pieceBytes === 0) return
    if (this.#line === this.#limits.maxLines) return yield this.#cutTooMany()
    const last = this.#take()
    if (last !== undefined) yield last
  }

  async drain(stay?: () => Promise<void>): Promise<void> {
    while (!this.#isOver && typeof (await this.#read()) === 'object') await stay?.()
  }

  /** The next bytes; undefined at the end; a text: why no more are read. */
  async #read(): Promise<Uint8Array | string | undefined> {
    const { maxBytes, silenceMs, totalMs } = this.#limits
    const before = performance.now()
    const part = await this.#within(Math.min(silenceMs, totalMs - this.#waitedMs))
    this.#waitedMs += performance.now() - before
    if (part === undefined) {
      this.#isOver = true
      return 'did not come in time: the body ended in silence'
    }
    if (part.done === true) {
      this.#isOver = true
      return undefined
    }
    this.#bytes += part.value.length
    if (this.#bytes <= maxBytes) return part.value
    this.#isOver = true
    void this.#drop()
    return `is beyond the ${maxBytes / 1024 / 1024} MiB of one body: send it in another request`
  }

  async #within(waitMs: number): Promise<IteratorResult<Uint8Array> | undefined> {
    if (this.#isGone()) throw new ClienteleError('malformed_json')
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<undefined>((resolve) => {
      timer = setTimeout(() => resolve(undefined), Math.max(0, waitMs))
    })
    try {
      return await Promise.race([this.#chunks.next(), late])
    } catch {
      // The stream broke off.
      throw new ClienteleError('malformed_json')
    } finally {
      clearTimeout(timer)
    }
  }

  async drop(): Promise<void> {
    await pTimeout(this.#drop(), { milliseconds: dropMs, fallback: () => {} })
  }

  /** Ending the iteration would close a Node connection. */
  async #drop(): Promise<void> {
    if (this.#isDropped) return
    this.#isDropped = true
    try {
      while ((await this.#chunks.next()).done !== true);
    } catch {
      // A disconnected caller waits for no response.
    }
  }

  #keep(piece: Uint8Array): void {
    this.#pieceBytes += piece.length
    if (this.#pieceBytes > maxLineBytes) this.#pieces = []
    else if (piece.length > 0) this.#pieces.push(piece)
  }

  /** The line that is complete now; undefined: it is empty. */
  #take(): BodyLine | undefined {
    const line = ++this.#line
    const pieces = this.#pieces
    const length = this.#pieceBytes
    this.#work += length + costOfLine
    this.#pieceBytes = 0
    if (length === 0) return undefined
    this.#pieces = []
    if (length > maxLineBytes) return { line, fault: `is longer than ${maxLineBytes / 1024} KiB` }
    const [first, ...others] = pieces
    const bytes = first !== undefined && others.length === 0 ? first : Buffer.concat(pieces)
    if (bytes.every((byte) => blanks.has(byte))) return undefined
    return { line, ...parseLine(bytes) }
  }

  #cutTooMany(): BodyLine {
    const { maxLines } = this.#limits
    return this.#cut(`is beyond the ${maxLines} lines of one body: send it in another request`)
  }

  #cut(fault: string): BodyLine {
    this.cutAtLine = this.#line + 1
    return { line: this.cutAtLine, fault }
  }
}

function parseLine(bytes: Uint8Array): { value: unknown } | { fault: string } {
  let text: string
  try {
    // Counted first: a short text may hold many values.
    text = decoder.decode(boundJson(bytes, false))
  } catch (error) {
    const [issue] = error instanceof ClienteleError ? error.issues : []
    return { fault: issue?.message ?? 'is not valid UTF-8' }
  }
  try {
    return { value: JSON.parse(text) }
  } catch {
    return { fault: noJson }
  }
}

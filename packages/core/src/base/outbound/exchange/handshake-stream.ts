import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'

/** Certificates come before any other large part of a handshake; usual chains have 2 to 10 KB. */
const maxBytes = 32 * 1024
/** Usual handshakes take 1 to 5 ms. */
const maxMs = 100

/** The server's part of the handshake costs too much CPU time. */
export class CostlyHandshake extends Error {
  override readonly name = 'CostlyHandshake'
}

/**
 * The bytes of a TLS connection. Node processes them on the JavaScript thread, and OpenSSL verifies all certificates of a
 * chain in one go. So this stream first bounds their size, and measures the CPU time of the handshake.
 */
export class HandshakeStream extends Duplex {
  readonly #socket: Socket
  #isHandshake = true
  #bytes = 0
  #usedMs = 0
  /** When the work on received bytes began; undefined: none is under way */
  #since: Moment | undefined
  #hasEnded = false

  constructor(socket: Socket) {
    super()
    this.#socket = socket
    socket.on('data', (chunk: Buffer) => {
      if (!this.push(chunk)) socket.pause()
    })
    socket.on('end', () => {
      this.#hasEnded = true
      this.push(null)
    })
    socket.on('error', (error) => this.destroy(error))
    socket.on('close', () => {
      if (!this.#hasEnded) this.destroy()
    })
  }

  /** The CPU time that the handshake has taken so far, in milliseconds */
  get usedMs(): number {
    return this.#usedMs + (this.#since === undefined ? 0 : msSince(this.#since))
  }

  /** Why the handshake has to fail; undefined: its cost is usual */
  get problem(): CostlyHandshake | undefined {
    if (this.#bytes > maxBytes) return new CostlyHandshake('its certificate chain is too long')
    if (this.usedMs > maxMs)
      return new CostlyHandshake('its certificate chain takes too long to verify')
    return undefined
  }

  /** From now on the stream neither bounds nor measures. */
  endHandshake(charge: (usedMs: number) => void): void {
    if (!this.#isHandshake) return
    this.#isHandshake = false
    charge(this.usedMs)
  }

  // TLS works on the bytes while their event is emitted.
  override emit(event: string | symbol, ...details: unknown[]): boolean {
    const [chunk] = details
    if (!this.#isHandshake || event !== 'data' || !Buffer.isBuffer(chunk))
      return super.emit(event, ...details)
    this.#bytes += chunk.length
    if (this.#bytes > maxBytes) {
      this.destroy(this.problem)
      return true
    }
    this.#since = readMoment()
    try {
      return super.emit(event, ...details)
    } finally {
      this.#usedMs += msSince(this.#since)
      this.#since = undefined
      if (this.#isHandshake && this.problem !== undefined) this.destroy(this.problem)
    }
  }

  override _read(): void {
    this.#socket.resume()
  }

  override _write(
    chunk: Buffer,
    encoding: BufferEncoding,
    callback: (error?: Error | null) => void,
  ): void {
    this.#socket.write(chunk, encoding, callback)
  }

  override _final(callback: (error?: Error | null) => void): void {
    this.#socket.end(() => callback())
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#socket.destroy()
    callback(error)
  }
}

interface Moment {
  wallMs: number
  cpuMs: number
}

function readMoment(): Moment {
  // Node 22.18 reports only the CPU time of all threads together.
  const { user, system } = (process.threadCpuUsage ?? process.cpuUsage)()
  return { wallMs: performance.now(), cpuMs: (user + system) / 1000 }
}

/** The CPU time of the work: other work of the machine does not count. */
function msSince({ wallMs, cpuMs }: Moment): number {
  const now = readMoment()
  return Math.min(now.wallMs - wallMs, now.cpuMs - cpuMs)
}

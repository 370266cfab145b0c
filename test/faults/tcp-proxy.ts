import { connect, createServer, type Server, type Socket } from 'node:net'

/** Stands between a client and a server, and fails as a network does. */
export class TcpProxy {
  readonly #target: { host: string; port: number }
  readonly #sockets = new Set<Socket>()
  #server: Server | undefined
  #port = 0
  #isStalled = false

  constructor(target: { host: string; port: number }) {
    this.#target = target
  }

  /** Listens, again on the same port after `refuse`. */
  async accept(): Promise<number> {
    this.#isStalled = false
    const server = createServer((client) => {
      const upstream = connect(this.#target)
      for (const [from, to] of [
        [client, upstream],
        [upstream, client],
      ] as const) {
        this.#sockets.add(from)
        from.on('data', (chunk) => {
          if (!this.#isStalled) to.write(chunk)
        })
        from.on('error', () => {})
        from.on('close', () => {
          this.#sockets.delete(from)
          to.destroy()
        })
      }
    })
    this.#server = server
    await new Promise<void>((resolve) => server.listen(this.#port, '127.0.0.1', resolve))
    const address = server.address()
    this.#port = typeof address === 'object' && address !== null ? address.port : 0
    return this.#port
  }

  /** Takes everything and passes nothing on. */
  stall(): void {
    this.#isStalled = true
  }

  /** Passes on again; what was swallowed stays lost. */
  resume(): void {
    this.#isStalled = false
  }

  /** Cuts every connection. */
  cut(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy()
  }

  /** Cuts every connection and accepts no other. */
  async refuse(): Promise<void> {
    const server = this.#server
    this.#server = undefined
    const closed = new Promise<void>((resolve) => server?.close(() => resolve()) ?? resolve())
    this.cut()
    await closed
  }
}

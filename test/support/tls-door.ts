import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { createSecureContext, TLSSocket } from 'node:tls'

const sslRequest = 80_877_103

/** Stands before a PostgreSQL that speaks no TLS, and speaks it where it has a certificate. */
export class TlsDoor {
  readonly #target: { host: string; port: number }
  readonly #pair: { cert: string; key: string } | undefined
  readonly #sockets = new Set<Socket>()
  #server: Server | undefined
  /** How connections came in */
  readonly seen: ('encrypted' | 'plain')[] = []

  constructor(url: string, pair?: { cert: string; key: string }) {
    const { hostname, port } = new URL(url)
    this.#target = { host: hostname, port: Number(port) }
    this.#pair = pair
  }

  async open(): Promise<number> {
    const server = createServer((socket) => {
      this.#keep(socket)
      socket.once('data', (first) => this.#welcome(socket, first))
    })
    this.#server = server
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    return typeof address === 'object' && address !== null ? address.port : 0
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    await new Promise<void>((resolve) => this.#server?.close(() => resolve()) ?? resolve())
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => this.#sockets.delete(socket))
  }

  #welcome(socket: Socket, first: Buffer): void {
    if (first.length !== 8 || first.readInt32BE(4) !== sslRequest) {
      this.seen.push('plain')
      this.#lead(socket, first)
      return
    }
    if (this.#pair === undefined) {
      socket.once('data', (next) => this.#welcome(socket, next))
      socket.write('N')
      return
    }
    socket.write('S')
    const secure = new TLSSocket(socket, {
      isServer: true,
      secureContext: createSecureContext(this.#pair),
    })
    this.#keep(secure)
    secure.once('data', (startup: Buffer) => {
      this.seen.push('encrypted')
      this.#lead(secure, startup)
    })
  }

  #lead(socket: Socket, first: Buffer): void {
    const upstream = connect(this.#target)
    this.#keep(upstream)
    upstream.write(first)
    socket.pipe(upstream).pipe(socket)
  }
}

import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { Client } from 'pg'
import { MessageReader } from './message-reader.ts'

/** What a pooler may pass on, because it can set it for each client anew; all else it refuses. */
const knownParameters = [
  ['user', 'database', 'application_name', 'client_encoding'],
  ['datestyle', 'timezone', 'standard_conforming_strings', 'intervalstyle'],
].flat()
const sslRequest = 80_877_103
const gssRequest = 80_877_104
const cancelRequest = 80_877_102

interface Guest {
  socket: Socket
  /** What was said while there was no server to say it to */
  waiting: Buffer[]
  server: HostedServer | undefined
}

interface HostedServer {
  socket: Socket
  guest: Guest | undefined
}

/**
 * Stands before a PostgreSQL as PgBouncer does in transaction mode: many clients share few connections, each has one for
 * as long as its transaction lasts, and a start parameter that would be the session's is refused.
 */
export class TransactionPooler {
  readonly #url: string
  readonly #serverCount: number
  readonly #servers = new Set<HostedServer>()
  readonly #queue: Guest[] = []
  readonly #sockets = new Set<Socket>()
  #listener: Server | undefined
  /** How often a client was told that the server is ready for the next */
  roundTrips = 0

  constructor(url: string, serverCount = 2) {
    this.#url = url
    this.#serverCount = serverCount
  }

  /** Answers with the URL of the same database through this. */
  async open(): Promise<string> {
    for (let count = 0; count < this.#serverCount; count++) await this.#addServer()
    const listener = createServer((socket) => this.#welcome(socket))
    this.#listener = listener
    listener.listen(0, '127.0.0.1')
    await once(listener, 'listening')
    const address = listener.address()
    const url = new URL(this.#url)
    url.port = String(typeof address === 'object' && address !== null ? address.port : 0)
    return url.href
  }

  async close(): Promise<void> {
    const listener = this.#listener
    this.#listener = undefined
    for (const socket of this.#sockets) socket.destroy()
    await new Promise<void>((resolve) => listener?.close(() => resolve()) ?? resolve())
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket)
    socket.setNoDelay(true)
    socket.on('error', () => {})
    socket.on('close', () => this.#sockets.delete(socket))
  }

  async #addServer(): Promise<void> {
    // The driver knows how to sign in; from then on only its socket is used.
    const client = new Client({ connectionString: this.#url })
    client.on('error', () => {})
    await client.connect()
    const socket = client.connection.stream as Socket // without TLS it is one
    socket.removeAllListeners('data')
    this.#keep(socket)
    const server: HostedServer = { socket, guest: undefined }
    const reader = new MessageReader()
    socket.on('data', (chunk: Buffer) => {
      for (const message of reader.read(chunk)) this.#hear(server, message)
    })
    socket.on('close', () => {
      this.#servers.delete(server)
      server.guest?.socket.destroy()
      if (this.#listener !== undefined) this.#addServer().catch(() => {})
    })
    this.#servers.add(server)
    this.#serveNext()
  }

  #hear(server: HostedServer, message: Buffer): void {
    const { guest } = server
    guest?.socket.write(message)
    if (message.toString('latin1', 0, 1) !== 'Z') return
    this.roundTrips++
    // I: no transaction is open any more, and the connection is free.
    if (message.toString('latin1', 5, 6) !== 'I') return
    server.guest = undefined
    if (guest !== undefined) guest.server = undefined
    this.#serveNext()
  }

  #serveNext(): void {
    for (const server of this.#servers) {
      if (server.guest !== undefined) continue
      const guest = this.#queue.shift()
      if (guest === undefined) return
      server.guest = guest
      guest.server = server
      for (const message of guest.waiting.splice(0)) server.socket.write(message)
    }
  }

  #welcome(socket: Socket): void {
    this.#keep(socket)
    const guest: Guest = { socket, waiting: [], server: undefined }
    const reader = new MessageReader({ startsUntyped: true })
    let isIn = false
    socket.on('data', (chunk: Buffer) => {
      for (const message of reader.read(chunk)) {
        if (isIn) this.#say(guest, message)
        else {
          isIn = this.#letIn(socket, message)
          if (isIn) reader.expectTyped()
        }
      }
    })
    socket.on('close', () => {
      const index = this.#queue.indexOf(guest)
      if (index >= 0) this.#queue.splice(index, 1)
      // A client that leaves in a transaction leaves a connection that no other client can use.
      guest.server?.socket.destroy()
    })
  }

  #letIn(socket: Socket, message: Buffer): boolean {
    const kind = message.readInt32BE(4)
    if (kind === sslRequest || kind === gssRequest) socket.write('N')
    if (kind === cancelRequest) socket.destroy()
    if (kind === sslRequest || kind === gssRequest || kind === cancelRequest) return false
    const words = message.toString('utf8', 8).split('\0')
    const names = words.filter((_, index) => index % 2 === 0 && words[index] !== '')
    const unknown = names.find((name) => !knownParameters.includes(name.toLowerCase()))
    if (unknown !== undefined) {
      const fields = ['SFATAL', 'C08P01', `Munsupported startup parameter: ${unknown}`, '']
      socket.end(frame('E', Buffer.from(fields.map((field) => `${field}\0`).join(''))))
      return false
    }
    socket.write(frame('R', Buffer.alloc(4)))
    socket.write(frame('K', Buffer.alloc(8)))
    socket.write(frame('Z', Buffer.from('I')))
    return true
  }

  #say(guest: Guest, message: Buffer): void {
    if (message.toString('latin1', 0, 1) === 'X') guest.socket.end()
    else if (guest.server !== undefined) guest.server.socket.write(message)
    else {
      guest.waiting.push(message)
      if (!this.#queue.includes(guest)) this.#queue.push(guest)
      this.#serveNext()
    }
  }
}

function frame(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5)
  head.write(type, 'latin1')
  head.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}

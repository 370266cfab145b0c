import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export interface Message {
  /** The first line, without the version: `GET /client/user` */
  line: string
  headers?: Record<string, string>
  body?: string
}

/** The next message to send: attacks that would be noticed the second time send another each time. */
export type Make = (count: number) => Message

const statusLine = /HTTP\/1\.1 (\d{3})/
/** The end of a response that comes in parts */
const lastPart = '\r\n0\r\n\r\n'
const partsField = /\r\ntransfer-encoding: chunked/i
const lengthField = /\r\ncontent-length: (\d+)/i

/** The ways in which requests are sent. All go on until `end` is called, and count what they are answered with. */
export class Ways {
  readonly answers: Record<string, number> = {}
  /** Resolves when the first connection is opened, or the first answer counted. */
  readonly begun: Promise<void>
  readonly #begin: () => void
  readonly #port: number
  readonly #path: string
  readonly #sockets = new Set<Socket>()
  #isOver = false
  #count = 0

  constructor(base: string) {
    const { port, pathname } = new URL(base)
    this.#port = Number(port)
    this.#path = pathname
    const { promise, resolve } = Promise.withResolvers<void>()
    this.begun = promise
    this.#begin = resolve
  }

  /** Whether `end` was called */
  get isOver(): boolean {
    return this.#isOver
  }

  end(): void {
    this.#isOver = true
    for (const socket of this.#sockets) socket.destroy()
  }

  /** Over a number of connections, each request as soon as the previous one is answered. */
  repeat(connections: number, make: Make): Promise<unknown> {
    return this.#pipe(connections, 1, make)
  }

  /** Over a number of connections, a number of requests at once, and the next ones when those are answered. */
  pipeline(connections: number, times: number, make: Make): Promise<unknown> {
    return this.#pipe(connections, times, make)
  }

  /** Over a number of connections one request each, all at the same time, repeatedly after a pause. */
  burst(connections: number, pauseMilliseconds: number, make: Make): Promise<unknown> {
    // Connections meet where a multiple of the pause has passed.
    return this.#pipe(connections, 1, make, () =>
      sleep(pauseMilliseconds - (Date.now() % pauseMilliseconds)),
    )
  }

  /** A number of simultaneous connections, each closed as soon as its request is sent. */
  async comeAndGo(connections: number, make: Make): Promise<void> {
    const come = async () => {
      while (!this.#isOver) {
        const socket = this.#open()
        socket.once('connect', () =>
          socket.write(this.#write(make), () => {
            this.note('sent')
            socket.destroy()
          }),
        )
        await new Promise((resolve) => socket.once('close', resolve))
      }
    }
    await Promise.all(Array.from({ length: connections }, come))
  }

  /** Over a number of connections a number of requests each, whose responses are not read. */
  leaveUnread(connections: number, times: number, make: Make): Promise<unknown> {
    return this.#keepOpen(connections, (socket) => {
      socket.pause()
      for (let time = 0; time < times; time++) socket.write(this.#write(make))
    })
  }

  /** Over a number of connections one request each, a byte every 50 milliseconds. */
  trickle(connections: number, make: Make): Promise<unknown> {
    return this.#keepOpen(connections, (socket) => {
      const text = this.#write(make)
      const headEnd = text.indexOf('\r\n\r\n')
      let at = Math.max(headEnd, 0)
      socket.write(text.slice(0, at))
      const timer = setInterval(() => socket.write(text.slice(at, ++at)), 50)
      socket.on('close', () => clearInterval(timer))
    })
  }

  /** Over a number of connections one request after the other, a number of bytes at a time, each before a pause. */
  inPortions(
    connections: number,
    bytes: number,
    pauseMilliseconds: number,
    make: Make,
  ): Promise<unknown> {
    return this.#keepOpen(connections, (socket) => {
      let rest = ''
      const timer = setInterval(() => {
        if (socket.writableLength > 0) return
        if (rest === '') rest = this.#write(make)
        socket.write(rest.slice(0, bytes))
        rest = rest.slice(bytes)
      }, pauseMilliseconds)
      socket.on('close', () => clearInterval(timer))
    })
  }

  /** Over a number of connections a request each, whose last bytes are sent on all of them at the same moment. */
  async endTogether(connections: number, make: Make): Promise<void> {
    const unended = new Map<Socket, string>()
    const timer = setInterval(() => {
      if (unended.size < 0.9 * connections) return
      for (const [socket, end] of unended) socket.write(end)
      unended.clear()
    }, 100)
    await this.#keepOpen(connections, (socket) => {
      const text = this.#write(make)
      socket.write(text.slice(0, -1), () => unended.set(socket, text.slice(-1)))
      socket.once('data', (answer) => {
        this.note(statusLine.exec(answer.toString())?.[1] ?? 'no status')
        socket.destroy()
      })
      socket.once('close', () => unended.delete(socket))
    })
    clearInterval(timer)
  }

  /** A number of connections that begin a request and never end it. */
  hold(connections: number): Promise<unknown> {
    return this.#keepOpen(connections, (socket) => void socket.write('GET / HTTP/1.1\r\nHost:'))
  }

  /** A number of simultaneous connections, each closed as soon as it is open. */
  async knock(connections: number): Promise<void> {
    const knockOn = async () => {
      while (!this.#isOver) {
        const socket = this.#open()
        await new Promise((resolve) => socket.once('connect', resolve).once('close', resolve))
        this.note('connected')
        socket.destroy()
      }
    }
    await Promise.all(Array.from({ length: connections }, knockOn))
  }

  async #pipe(
    connections: number,
    times: number,
    make: Make,
    pause?: () => Promise<unknown>,
  ): Promise<void> {
    const keepBusy = async () => {
      while (!this.#isOver) await this.#useUp(this.#open(), times, make, pause)
    }
    await Promise.all(Array.from({ length: connections }, keepBusy))
  }

  /** Sends over one connection until it is closed. */
  #useUp(
    socket: Socket,
    times: number,
    make: Make,
    pause?: () => Promise<unknown>,
  ): Promise<unknown> {
    let awaited = 0
    let rest = ''
    let isInParts = false
    const send = () => {
      awaited = times
      socket.write(Array.from({ length: times }, () => this.#write(make)).join(''))
    }
    const goOn = () => {
      if (!this.#isOver) send()
    }
    socket.setEncoding('latin1').on('connect', send)
    socket.on('data', (chunk: string) => {
      rest += chunk
      for (;;) {
        if (isInParts) {
          const end = rest.indexOf(lastPart)
          // Only what may be the beginning of the end is kept.
          rest = rest.slice(end === -1 ? -lastPart.length + 1 : end + lastPart.length)
          if (end === -1) return
          isInParts = false
          if (--awaited > 0) continue
          if (pause === undefined) goOn()
          else pause().then(goOn)
        }
        const headEnd = rest.indexOf('\r\n\r\n')
        if (headEnd === -1) return
        const head = rest.slice(0, headEnd)
        if (partsField.test(head)) {
          this.note(statusLine.exec(head)?.[1] ?? 'no status')
          rest = rest.slice(headEnd + 2)
          isInParts = true
          continue
        }
        const length = Number(lengthField.exec(head)?.[1] ?? 0)
        const end = headEnd + 4 + length
        if (rest.length < end) return
        this.note(statusLine.exec(rest)?.[1] ?? 'no status')
        rest = rest.slice(end)
        if (--awaited > 0) continue
        if (pause === undefined) goOn()
        else pause().then(goOn)
      }
    })
    return new Promise((resolve) => socket.on('close', resolve))
  }

  async #keepOpen(connections: number, use: (socket: Socket) => void): Promise<void> {
    const keepOne = async () => {
      while (!this.#isOver) {
        const socket = this.#open()
        socket.on('connect', () => {
          this.note('connected')
          use(socket)
        })
        await new Promise((resolve) => socket.on('close', resolve))
      }
    }
    await Promise.all(Array.from({ length: connections }, keepOne))
  }

  #open(): Socket {
    const socket = connect(this.#port, '127.0.0.1')
    this.#begin()
    this.#sockets.add(socket)
    // What the server refuses, or cuts off, is counted: it may.
    socket.on('error', () => this.note('broken'))
    socket.on('close', () => this.#sockets.delete(socket))
    return socket
  }

  #write(make: Make): string {
    const { line, headers, body } = make(this.#count++)
    const [method, path] = line.split(' ')
    const fields = {
      Host: 'localhost',
      ...(body !== undefined && {
        'Content-Type': 'application/json',
        ...(headers?.['Transfer-Encoding'] === undefined && {
          'Content-Length': String(Buffer.byteLength(body)),
        }),
      }),
      ...headers,
    }
    const head = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`)
    return `${method} ${this.#path}${path} HTTP/1.1\r\n${head.join('')}\r\n${body ?? ''}`
  }

  /** Counts an answer. */
  note(what: string): void {
    this.#begin()
    this.answers[what] = (this.answers[what] ?? 0) + 1
  }
}

import type { IncomingMessage, RequestListener, ServerOptions, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { takeTurns } from '@clientele/core/node'

// Importing this module would also load Node's fetch: 75 ms and 12 MiB that the server does not need.
const http = process.getBuiltinModule('node:http')

/**
 * An import is read as fast as it is stored: its reader has its own limits, of the silence and of the time in all. Bodies
 * of other routes have none but Node's, so a query must not make them look like one.
 */
const importPath = '/client/user/import'

function isImportUrl(url: string): boolean {
  const mark = url.indexOf('?')
  return (mark === -1 ? url : url.slice(0, mark)).endsWith(importPath)
}

/** The import that a connection has begun, if it has begun one: other requests pay nothing for it. */
const imports = new WeakMap<Socket, { req: IncomingMessage; res: ServerResponse }>()

/**
 * How Node describes the symbol of a server's list of connections, whose `idle` returns the parsers that are receiving no
 * request. On a Node version without it, connections stay until their time is over.
 */
const listName = 'http.server.connections'

/** At the connection limit, connections that have been idle for this time make room for new ones. In milliseconds. */
const longIdleMs = 5_000

/**
 * Leaves imports that are still being answered out of the time in which Node expects a request, and connections whose
 * response is still being sent out of those that are idle.
 */
export class PatientServer extends http.Server {
  /**
   * By connection, its last response while that is open. Not a set of responses: such a set would be made anew every few
   * requests, and V8 links its old tables to the new ones. Once one is in the old generation, every request stays until
   * that is collected.
   */
  readonly openResponses = new Map<Socket, ServerResponse | undefined>()

  /**
   * Read by Node, whose types lack it: a worker would pass a connection above the limit on to the next one, round and round,
   * and none would tell of it.
   */
  readonly dropMaxConnection = true

  /** Connections that were idle at the last look, and have begun no request since; undefined: it has never looked */
  #foundIdle: WeakSet<Socket> | undefined
  #lookedAt = Number.NEGATIVE_INFINITY

  constructor(options: ServerOptions, listener: RequestListener) {
    super(options)
    const open = this.openResponses
    this.on('connection', (socket) => {
      open.set(socket, undefined)
      socket.once('close', () => open.delete(socket))
    })
    this.on('request', ({ socket }, res) => {
      open.set(socket, res)
      this.#foundIdle?.delete(socket)
      // An idle connection keeps no response, nor what was asked. The event comes once; `once` would cost more than `on`.
      res.on('close', () => {
        if (open.get(socket) === res) open.set(socket, undefined)
      })
    })
    this.on('request', listener)
  }

  override emit(event: string, ...given: unknown[]): boolean {
    if (event === 'clientError' && isImport(...(given as [Error, Socket]))) return true // as Node documents it
    return super.emit(event, ...given)
  }

  /** Node's own also ends connections on which a response was written, but is still in this process. */
  override closeIdleConnections(): void {
    for (const socket of this.#listIdle()) socket.destroy()
  }

  /** Closes connections that were idle when it last looked, and have begun no request since; those in use stay. */
  closeLongIdleConnections(): void {
    const now = performance.now()
    if (now - this.#lookedAt < longIdleMs) return
    this.#lookedAt = now
    const before = this.#foundIdle
    const found = new WeakSet<Socket>()
    this.#foundIdle = found
    for (const socket of this.#listIdle())
      if (before?.has(socket)) socket.destroy()
      else found.add(socket)
  }

  #listIdle(): Socket[] {
    return this.#listReceivingNothing().filter(
      (socket) => this.openResponses.get(socket) === undefined && socket.writableLength === 0,
    )
  }

  #listReceivingNothing(): Socket[] {
    const name = Object.getOwnPropertySymbols(this).find(
      ({ description }) => description === listName,
    )
    const list = Object(name && Reflect.get(this, name))
    if (typeof list.idle !== 'function') return []
    const parsers: { socket?: Socket | null }[] = list.idle()
    return parsers.flatMap(({ socket }) => socket ?? [])
  }
}

function isImport(error: Error, socket: Socket): boolean {
  const { req, res } = imports.get(socket) ?? {}
  if (!('code' in error) || error.code !== 'ERR_HTTP_REQUEST_TIMEOUT') return false
  if (req === undefined || res === undefined || res.writableEnded) return false
  if (req.complete) return false // the next request of the connection is late
  // Node asks once for each request: if the rest of the body does not come, its connection must not stay.
  res.on('finish', () => {
    if (!req.complete) socket.destroySoon()
  })
  return true
}

/** A server that does not listen yet. At the connection limit, it closes connections that have long been idle. */
export function openHttpServer(listener: RequestListener, maxConnections: number): PatientServer {
  const listen = takeTurns(listener)
  const server = new PatientServer(
    {
      // A client that sends slowly must not hold a connection for ever.
      headersTimeout: 10_000,
      requestTimeout: 30_000,
      // Longer than the 60 s after which most proxies close idle connections, so that the proxy closes first.
      keepAliveTimeout: 65_000,
      connectionsCheckingInterval: 5_000,
    },
    (req, res) => {
      if (req.method === 'POST' && isImportUrl(req.url ?? '')) imports.set(req.socket, { req, res })
      listen(req, res)
    },
  )
  server.maxConnections = maxConnections
  server.on('drop', () => server.closeLongIdleConnections())
  return server
}

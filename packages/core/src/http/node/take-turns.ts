import { AsyncResource } from 'node:async_hooks'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { boundPieces } from './bound-pieces.ts'
import { endParsingWhere } from './end-parsing.ts'
import { type HttpServer, meetConnections } from './meet-connections.ts'
import { countPieces, meetReader } from './piece-turns.ts'
import { watchUnread } from './unread-responses.ts'

/** How many requests may wait on one connection, and on all connections. Each costs 15 µs before it can be refused. */
const maxWaiting = 50
const maxWaitingInAll = 1_000
/** What one that has to wait costs others, in pieces of a body */
const piecesOfWaiting = 20

interface Connection {
  socket: Socket
  /** Whether a request of it has begun in this turn of the event loop */
  hasBegun: boolean
  /** The response that is being made or sent */
  current: ServerResponse | undefined
  waiting: { res: ServerResponse; answer: () => void }[]
  /** The last request, if its body is still coming although it has been answered */
  unread?: IncomingMessage
}

const connections = new WeakMap<Socket, Connection>()
let waitingInAll = 0
let begunInTurn: Connection[] = []

/**
 * Makes a listener receive the requests of a connection one after the other. Node delivers all pipelined requests that
 * have arrived at once: one connection could delay all others, and responses that its client does not read would fill
 * the memory.
 *
 * Here the next request is delivered when the previous response has been sent and other connections have had a turn.
 * Until then no more is read from the connection. A connection is ended when its client reads nothing of a response for
 * 30 seconds, when more than 50 of its requests wait, when it sends several requests at once while 1,000 wait on all
 * connections, when a body comes in more than 500 pieces of less than 64 bytes on average, when more than 1 MiB of it
 * comes after its response, or with the response to a request that Node answers itself: one without `Host`, or with an
 * `Expect` other than `100-continue`. This holds for all connections of a server, from the first request on.
 *
 * `clienteleListener` already does this; use `takeTurns` for a server with a listener of your own.
 *
 * @example
 * import { createServer } from 'node:http'
 * import { takeTurns } from '@clientele/core/node'
 *
 * createServer(takeTurns(app)).listen(3000) // `app` of Express, or `app.callback()` of Koa
 */
export function takeTurns(listener: RequestListener): RequestListener {
  return (req, res) => takeTurn(req, res, () => listener(req, res))
}

/** Resolves when the earlier requests of the connection have been answered. */
export function takeTurn(req: IncomingMessage, res: ServerResponse, answer: () => void): void {
  // HTTP/2 controls the flow of each stream and hides its sockets. Of a request that the host has answered and hands over
  // late, the `close` that ends a turn has come already.
  if (req.httpVersionMajor > 1 || res.closed) {
    answer()
    return
  }
  const { socket } = req
  meetConnections((socket as ServedSocket).server, meet)
  const connection = meet(socket)
  if (connection.current === res) answer()
  else if (connection.current === undefined && !connection.hasBegun)
    begin(connection, socket, res, answer)
  else wait(connection, socket, res, answer)
}

/** Node sets the server, but the types lack it. */
type ServedSocket = Socket & { server?: HttpServer }

function meet(socket: Socket): Connection {
  const known = connections.get(socket)
  if (known !== undefined) return known
  const connection: Connection = { socket, hasBegun: false, current: undefined, waiting: [] }
  connections.set(socket, connection)
  // Node 22 emits no `close` then for a response that is behind one of the host.
  socket.on('close', () => dropWaiting(connection))
  endParsingWhere(socket, () => endWhenFull(connection, socket))
  boundPieces(socket, stateOf)
  meetReader(socket, () => connection.waiting.length === 0 && !isFull(findIncoming(socket)))
  return connection
}

function begin(
  connection: Connection,
  socket: Socket,
  res: ServerResponse,
  answer: () => void,
): void {
  connection.current = res
  noteBegun(connection)
  // Each event comes once, and `once` would cost more than `on`.
  res.on('prefinish', () => watchUnread(socket, res))
  res.on('close', () => goOn(connection, socket))
  answer()
}

function wait(
  connection: Connection,
  socket: Socket,
  res: ServerResponse,
  answer: () => void,
): void {
  countPieces(socket, piecesOfWaiting)
  if (endWhenFull(connection, socket)) return
  // It begins as another one ends, whose context (AsyncLocalStorage) may have another user.
  connection.waiting.push({ res, answer: AsyncResource.bind(answer) })
  waitingInAll++
  if (connection.waiting.length === 1) socket.pause()
}

/** The state of a request of a connection; undefined when it has not come to us, or has been read completely. */
function stateOf(socket: Socket, req: IncomingMessage): 'open' | 'answered' | undefined {
  const connection = connections.get(socket)
  if (connection === undefined) return undefined
  const { current, waiting, unread } = connection
  if (unread === req) return 'answered'
  if (current?.req === req) return current.writableEnded ? 'answered' : 'open'
  return waiting.some(({ res }) => res.req === req) ? 'open' : undefined
}

/** Ends a connection with too many waiting requests; returns whether it has been ended. */
function endWhenFull(connection: Connection, socket: Socket): boolean {
  if (socket.destroyed) return true
  if (connection.current === undefined && connection.waiting.length === 0) return false
  if (connection.waiting.length < maxWaiting && waitingInAll < maxWaitingInAll) return false
  dropWaiting(connection)
  socket.destroy()
  return true
}

/** Continues with the next request of a connection, or resumes reading. */
function goOn(connection: Connection, socket: Socket): void {
  const { current } = connection
  if (current !== undefined && !current.req.complete) connection.unread = current.req
  connection.current = undefined
  if (socket.destroyed) dropWaiting(connection)
  // Node answers and parses on in one turn where a request has a body, or many lines: the rest waits for the turn's end.
  if (!connection.hasBegun) beginNext(connection)
}

function noteBegun(connection: Connection): void {
  if (begunInTurn.length === 0) setImmediate(endTurn)
  connection.hasBegun = true
  begunInTurn.push(connection)
}

function endTurn(): void {
  const begun = begunInTurn
  begunInTurn = []
  for (const connection of begun) {
    connection.hasBegun = false
    if (connection.current === undefined) beginNext(connection)
  }
}

function beginNext(connection: Connection): void {
  const { socket } = connection
  const next = connection.waiting.shift()
  if (next === undefined) return
  waitingInAll--
  // Requests that arrive meanwhile queue up behind it.
  connection.current = next.res
  // Node resumes reading when a response has ended, in this turn and after this call.
  process.nextTick(() => {
    if (connection.waiting.length > 0) socket.pause()
    else socket.resume()
  })
  setImmediate(() => {
    // The host may have answered it while it waited.
    if (socket.destroyed || next.res.closed) goOn(connection, socket)
    else begin(connection, socket, next.res, next.answer)
  })
}

/** The request that is being read, also one that the host answers; present in every supported version of Node. */
function findIncoming(socket: Socket & { parser?: { incoming?: IncomingMessage | null } | null }) {
  return socket.parser?.incoming
}

/** Whether Node reads no more of its body until some of that is taken */
function isFull(req: IncomingMessage | null | undefined): boolean {
  return !!req && !req.complete && req.readableLength >= req.readableHighWaterMark
}

function dropWaiting(connection: Connection): void {
  waitingInAll -= connection.waiting.length
  connection.waiting = []
}

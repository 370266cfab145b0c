import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { endParsingWhere } from './end-parsing.ts'
import { watchUnread } from './unread-responses.ts'

/** How many requests may wait on one connection, and in all. Each costs 15 µs before anything can be said about it. */
const maxWaiting = 50
const maxWaitingInAll = 1_000

interface Connection {
  /** The response that is being made or sent */
  current: ServerResponse | undefined
  waiting: { res: ServerResponse; answer: () => void }[]
}

const connections = new WeakMap<Socket, Connection>()
let waitingInAll = 0

/**
 * Makes a listener hear the requests of a connection one after the other. Node hands over every pipelined request that has
 * arrived at once: one connection could keep all others waiting, and what its client does not read would stay in memory.
 * Here the next request is heard when the response before it has been sent, after the other connections have had a turn, and
 * nothing more is read from the connection meanwhile. A response of which a client reads nothing for 30 seconds ends its
 * connection. A connection on which more than 50 requests wait is ended, too, and so is one that sends more than one at once while
 * 1,000 wait on all connections.
 *
 * `clienteleListener` does so itself; this is for a server with a listener of the host's own.
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

/** Answers when the requests before it on its connection have been answered. */
export function takeTurn(req: IncomingMessage, res: ServerResponse, answer: () => void): void {
  // HTTP/2 has a flow of each stream, and lets its sockets alone.
  if (req.httpVersionMajor > 1) {
    answer()
    return
  }
  const { socket } = req
  const connection = connections.get(socket) ?? meet(socket)
  if (connection.current === res) answer()
  else if (connection.current === undefined) begin(connection, socket, res, answer)
  else wait(connection, socket, res, answer)
}

function meet(socket: Socket): Connection {
  const connection: Connection = { current: undefined, waiting: [] }
  connections.set(socket, connection)
  endParsingWhere(socket, () => endWhenFull(connection, socket))
  return connection
}

function begin(
  connection: Connection,
  socket: Socket,
  res: ServerResponse,
  answer: () => void,
): void {
  connection.current = res
  res.once('prefinish', () => watchUnread(socket, res))
  res.once('close', () => goOn(connection, socket))
  answer()
}

function wait(
  connection: Connection,
  socket: Socket,
  res: ServerResponse,
  answer: () => void,
): void {
  if (endWhenFull(connection, socket)) return
  connection.waiting.push({ res, answer })
  waitingInAll++
  if (connection.waiting.length === 1) socket.pause()
}

/** Ends a connection for which one more request that waits is too many; answers whether it is at its end. */
function endWhenFull(connection: Connection, socket: Socket): boolean {
  if (socket.destroyed) return true
  if (connection.current === undefined) return false
  if (connection.waiting.length < maxWaiting && waitingInAll < maxWaitingInAll) return false
  dropWaiting(connection)
  socket.destroy()
  return true
}

/** Goes on with the next request of a connection, or reads from it again. */
function goOn(connection: Connection, socket: Socket): void {
  connection.current = undefined
  if (socket.destroyed) dropWaiting(connection)
  const next = connection.waiting.shift()
  if (next === undefined) return
  waitingInAll--
  // Those that arrive in between stand behind it.
  connection.current = next.res
  // Node reads again when a response has ended: it does so in this turn, after this call.
  process.nextTick(() => {
    if (connection.waiting.length > 0) socket.pause()
    else socket.resume()
  })
  setImmediate(() => {
    if (socket.destroyed) {
      connection.current = undefined
      dropWaiting(connection)
    } else begin(connection, socket, next.res, next.answer)
  })
}

function dropWaiting(connection: Connection): void {
  waitingInAll -= connection.waiting.length
  connection.waiting = []
}

import type { Server, ServerResponse } from 'node:http'
import { Server as NetServer, type Socket } from 'node:net'

/** How long a connection may stay idle once the server is to stop: its next request may be on its way. In milliseconds. */
const idleGraceMs = 1_000

/** How long requests that are under way may take to end once the server is to stop, in milliseconds. */
const graceMs = 25_000

/**
 * Prepares a server to be stopped: the function that it returns stops accepting, answers what is under way or arrives on
 * a connection that is open, and resolves when every connection has ended. Nobody is sent away before nobody else accepts
 * either: `othersClosed`.
 */
export function prepareDrain(
  server: Server,
  othersClosed: (() => Promise<void>) | undefined,
): () => Promise<void> {
  const sockets = new Set<Socket>()
  const responses = new Set<ServerResponse>()
  let isStopping = false
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  server.prependListener('request', (_req, res) => {
    if (isStopping) res.setHeader('connection', 'close')
    responses.add(res)
    res.once('close', () => responses.delete(res))
  })
  const sendAway = (): void => {
    isStopping = true
    for (const res of responses) if (!res.headersSent) res.setHeader('connection', 'close')
  }
  const endIdle = (): void => {
    server.closeIdleConnections()
    // Browsers and proxies open connections ahead: Node counts one that has sent nothing as busy.
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
  }
  return () =>
    new Promise((resolve) => {
      let idle: NodeJS.Timeout | undefined
      const wait = setTimeout(() => {
        endIdle()
        // Responses whose headers were written before the stop leave their connection idle.
        idle = setInterval(endIdle, 100)
      }, idleGraceMs)
      const grace = setTimeout(() => server.closeAllConnections(), graceMs)
      const close = (): void => {
        // Not the HTTP server's own: it ends every idle connection at once, with the request that is on its way.
        NetServer.prototype.close.call(server, () => {
          clearTimeout(wait)
          clearInterval(idle)
          clearTimeout(grace)
          resolve()
        })
        // Not before: whoever is sent away by it would connect again, and be cut off.
        if (othersClosed === undefined) sendAway()
        else othersClosed().then(sendAway)
      }
      // Whoever has connected already is let in first: the system has accepted what Node has not seen yet.
      setImmediate(() => setImmediate(close))
    })
}

import { Server as NetServer } from 'node:net'
import type { PatientServer } from './open-http-server.ts'

/** How long a connection may stay idle once the server is to stop: its next request may be on its way. In milliseconds. */
const idleGraceMs = 1_000

/** How long requests that are under way may take to end once the server is to stop, in milliseconds. */
const graceMs = 25_000

/**
 * Prepares a server to be stopped. The returned function stops accepting connections, answers requests that are running
 * or arrive on open connections, and resolves when every connection has ended. It closes connections only when no other
 * process accepts new ones (`othersClosed`).
 */
export function prepareDrain(
  server: PatientServer,
  othersClosed: (() => Promise<void>) | undefined,
): () => Promise<void> {
  const open = server.openResponses
  const sendAway = (): void => {
    server.prependListener('request', (_req, res) => res.setHeader('connection', 'close'))
    // Of several requests of a connection the last response ends it, so that all are sent.
    for (const res of open.values())
      if (res?.headersSent === false) res.setHeader('connection', 'close')
  }
  const endIdle = (): void => {
    server.closeIdleConnections()
    // Browsers and proxies open connections ahead: Node counts one that has sent nothing as busy.
    for (const socket of open.keys()) if (socket.bytesRead === 0) socket.destroy()
  }
  const endAll = (): void => {
    // Over HTTP/1.0, a connection that is closed ends a complete response.
    for (const [socket, res] of open)
      if (res === undefined) socket.destroy()
      else socket.resetAndDestroy()
  }
  return () =>
    new Promise((resolve) => {
      let idle: NodeJS.Timeout | undefined
      const wait = setTimeout(() => {
        endIdle()
        // Responses whose headers were written before the stop leave their connection idle.
        idle = setInterval(endIdle, 100)
      }, idleGraceMs)
      const grace = setTimeout(endAll, graceMs)
      const close = (): void => {
        // Not the HTTP server's own `close`, which would end every idle connection at once, even if a request is on its
        // way.
        NetServer.prototype.close.call(server, () => {
          clearTimeout(wait)
          clearInterval(idle)
          clearTimeout(grace)
          resolve()
        })
        // Connections are closed only now: earlier, a client would connect again to a closing process, and be cut off.
        if (othersClosed === undefined) sendAway()
        else othersClosed().then(sendAway)
      }
      // Accept pending connections first: the system has accepted some that Node has not seen yet.
      setImmediate(() => setImmediate(close))
    })
}

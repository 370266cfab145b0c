import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/** How long requests that are under way may take to end once the server is to stop, in milliseconds. */
const graceMs = 25_000

/**
 * Prepares a server to be stopped: the function that it returns stops accepting, ends connections on which nothing is
 * under way, and resolves when every other request has been answered.
 */
export function prepareDrain(server: Server): () => Promise<void> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  server.prependListener('request', (_req, res) => {
    if (!server.listening) res.setHeader('connection', 'close')
  })
  return () =>
    new Promise((resolve) => {
      // Responses whose headers were written before the stop leave their connection idle.
      const idle = setInterval(() => server.closeIdleConnections(), 100)
      const grace = setTimeout(() => server.closeAllConnections(), graceMs)
      server.close(() => {
        clearInterval(idle)
        clearTimeout(grace)
        resolve()
      })
      // Browsers and proxies open connections ahead: Node counts one that has sent nothing as busy.
      for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
    })
}

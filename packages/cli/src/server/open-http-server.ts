import type { RequestListener, Server } from 'node:http'
import { takeTurns } from '@clientele/core/node'

// An import of this module loads the whole of Node's fetch too: 75 ms and 12 MiB that nobody here needs.
const { createServer } = process.getBuiltinModule('node:http')

/** A server that does not listen yet. It lets go of who has been idle when it has as many connections as it may. */
export function openHttpServer(listener: RequestListener, maxConnections: number): Server {
  const server = createServer(
    {
      // A client that sends slowly must not hold a connection for ever.
      headersTimeout: 10_000,
      requestTimeout: 30_000,
      // Longer than the 60 s after which proxies usually let go, so that it is they who close.
      keepAliveTimeout: 65_000,
      connectionsCheckingInterval: 5_000,
    },
    takeTurns(listener),
  )
  server.maxConnections = maxConnections
  server.on('drop', () => server.closeIdleConnections())
  return server
}

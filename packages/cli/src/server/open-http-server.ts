import type { RequestListener, Server } from 'node:http'
import { takeTurns } from '@clientele/core/node'

// Importing this module would also load Node's fetch: 75 ms and 12 MiB that the server does not need.
const { createServer } = process.getBuiltinModule('node:http')

/** A server that does not listen yet. At the connection limit, it closes idle connections. */
export function openHttpServer(listener: RequestListener, maxConnections: number): Server {
  const server = createServer(
    {
      // A client that sends slowly must not hold a connection for ever.
      headersTimeout: 10_000,
      requestTimeout: 30_000,
      // Longer than the 60 s after which most proxies close idle connections, so that the proxy closes first.
      keepAliveTimeout: 65_000,
      connectionsCheckingInterval: 5_000,
    },
    takeTurns(listener),
  )
  server.maxConnections = maxConnections
  server.on('drop', () => server.closeIdleConnections())
  return server
}

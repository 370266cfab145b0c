import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
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

/** Leaves imports that are still being answered out of the time in which Node expects a request. */
class PatientServer extends http.Server {
  override emit(event: string, ...given: unknown[]): boolean {
    if (event === 'clientError' && isImport(...(given as [Error, Socket]))) return true // as Node documents it
    return super.emit(event, ...given)
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

/** A server that does not listen yet. At the connection limit, it closes idle connections. */
export function openHttpServer(listener: RequestListener, maxConnections: number): Server {
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
  server.on('drop', () => server.closeIdleConnections())
  return server
}

import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'

/** The error with which llhttp stops parsing: that of a request that upgrades to another protocol. */
const stop = 2

/** Present in every supported version of Node, but undocumented and untyped. */
interface Parsed {
  parser?: { onIncoming?: (req: Incoming, keepsAlive: boolean) => number } | null
}

type Incoming = IncomingMessage & { upgrade?: boolean }

/**
 * Stops parsing a connection's data as soon as `isFull` returns true. Node parses everything that it has read at once,
 * 64 KiB with some 2,000 requests, and creates a request and a response for each, even after the connection was ended.
 * Forty such connections block the event loop for half a second. On a Node version that works differently this has no
 * effect.
 */
export function endParsingWhere(socket: Socket, isFull: () => boolean): void {
  const { parser } = socket as Socket & Parsed // missing in the types
  const hear = parser?.onIncoming
  if (!parser || typeof hear !== 'function') return
  parser.onIncoming = (req, keepsAlive) => {
    if (!isFull()) return hear(req, keepsAlive)
    // Otherwise Node would hand over the rest as another protocol.
    req.upgrade = false
    return stop
  }
}

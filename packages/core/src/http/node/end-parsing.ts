import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'

/** What llhttp takes for "stop here": the answer of a request that leaves HTTP. */
const stop = 2

/** As Node has it in every version that we run on. Its types and its guide are silent on it. */
interface Parsed {
  parser?: { onIncoming?: (req: Incoming, keepsAlive: boolean) => number } | null
}

type Incoming = IncomingMessage & { upgrade?: boolean }

/**
 * Ends the parsing of what a connection has sent as soon as `isFull` says so. Node parses all it has read at once, 64 KiB and
 * some 2,000 requests, and makes a request and a response of each, though the connection has been ended meanwhile: 40
 * connections hold the event loop for half a second so. Where a version of Node is made in another way, that is as it was.
 */
export function endParsingWhere(socket: Socket, isFull: () => boolean): void {
  const { parser } = socket as Socket & Parsed // the types leave it out
  const hear = parser?.onIncoming
  if (!parser || typeof hear !== 'function') return
  parser.onIncoming = (req, keepsAlive) => {
    if (!isFull()) return hear(req, keepsAlive)
    // Otherwise the rest would be handed over as another protocol.
    req.upgrade = false
    return stop
  }
}

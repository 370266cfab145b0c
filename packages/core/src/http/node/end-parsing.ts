import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { countPieces } from './piece-turns.ts'

/** The error with which llhttp stops parsing: that of a request that upgrades to another protocol. */
const stop = 2

/** Of the list of names and values: a request with more of them counts as pieces of a body, which cost as much. */
const fewHeaders = 128
const headersOfPiece = 8

/** Present in every supported version of Node, but undocumented and untyped. */
interface Parsed {
  parser?: { onIncoming?: (req: Incoming, keepsAlive: boolean) => number } | null
  server?: { requireHostHeader?: boolean; listenerCount(event: string): number }
}

type Incoming = IncomingMessage & { upgrade?: boolean }

/**
 * Stops parsing a connection's data as soon as `isFull` returns true, and after a request that Node answers itself, the
 * last one of its connection. Node parses everything that it has read at once, 64 KiB with some 2,000 requests, and
 * creates a request and a response for each, even after the connection was ended. Forty such connections block the event
 * loop for half a second, and for two where Node answers. On a Node version that works differently this has no effect.
 */
export function endParsingWhere(socket: Socket, isFull: () => boolean): void {
  const { parser, server } = socket as Socket & Parsed // missing in the types
  const hear = parser?.onIncoming
  if (!parser || typeof hear !== 'function') return
  let isOver = false
  parser.onIncoming = (req, keepsAlive) => {
    if (!isOver && !isFull()) {
      const { length } = req.rawHeaders
      if (length > fewHeaders) countPieces(socket, Math.ceil(length / headersOfPiece))
      isOver = isAnsweredByNode(req, server)
      return hear(req, keepsAlive && !isOver)
    }
    // Otherwise Node would hand over the rest as another protocol.
    req.upgrade = false
    return stop
  }
}

/** As Node reads `Expect` */
const expectsContinue = /(?:^|\W)100-continue(?:$|\W)/i

/** Whether no listener receives the request: Node refuses it with 400 without `Host`, and with 417 for its `Expect`. */
function isAnsweredByNode({ httpVersion, headers }: Incoming, server: Parsed['server']): boolean {
  if (httpVersion !== '1.1') return false
  const { host, expect } = headers
  if (host === undefined && server?.requireHostHeader === true) return true
  if (expect === undefined || expectsContinue.test(expect)) return false
  return server?.listenerCount('checkExpectation') === 0
}

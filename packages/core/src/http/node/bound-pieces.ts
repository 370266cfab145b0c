import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { PieceCount } from '../../base/runtime/piece-count.ts'
import { countPieces } from './piece-turns.ts'

/** How much of a body is read after its response, so that the response reaches a client that is still sending. */
const maxUnwantedBytes = 1024 * 1024

/** How many pieces of a body are not counted: with more of them, connections take turns. */
const fewPieces = 4

/** The callback for a piece of a body: `HTTPParser.kOnBody` */
const onBody = 3

/** Present in every supported version of Node, but undocumented and untyped. */
interface Parser {
  socket?: Socket | null
  incoming?: IncomingMessage | null
  [onBody]?: (piece: Uint8Array) => void
}

/** The state of a request; undefined: its body is not ours to bound. */
type StateOf = (socket: Socket, req: IncomingMessage) => 'open' | 'answered' | undefined

/** Node uses a parser again for another connection. */
const bounded = new WeakSet<Parser>()

/**
 * Ends a connection whose body comes in very many very small pieces, or goes on without end after the response. Node
 * makes a Buffer and a callback of each chunk of `Transfer-Encoding: chunked`, and counts only their bytes: 64 KiB of
 * unread body in chunks of one byte take 16 MiB, and reading them blocks the event loop. On a Node version that works
 * differently this has no effect.
 */
export function boundPieces(socket: Socket, stateOf: StateOf): void {
  const { parser } = socket as Socket & { parser?: Parser | null } // missing in the types
  if (!parser || bounded.has(parser)) return
  const hear = parser[onBody]
  if (typeof hear !== 'function') return
  bounded.add(parser)
  let current: IncomingMessage | null | undefined
  let pieces = new PieceCount()
  parser[onBody] = (piece) => {
    const { socket, incoming } = parser
    if (!socket || !incoming) return hear.call(parser, piece)
    // Node hands over the rest of what it has read, although the connection has ended.
    if (socket.destroyed) return
    if (incoming !== current) {
      current = incoming
      pieces = new PieceCount()
    }
    pieces.add(piece.length)
    if (pieces.count > fewPieces) countPieces(socket, 1)
    const { isTooFine } = pieces
    const isLong = pieces.bytes > maxUnwantedBytes
    if (isTooFine || isLong) {
      const state = stateOf(socket, incoming)
      if (state === 'answered' || (isTooFine && state === 'open')) {
        socket.destroy()
        return
      }
    }
    hear.call(parser, piece)
  }
}

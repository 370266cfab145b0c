import type { Socket } from 'node:net'

/** Node's types lack it. TLS has the connection below it as parent. */
type Layered = Socket & { _parent?: Socket | null }

/**
 * Ends a connection whose response is not complete. By a reset: over HTTP/1.0, a connection that is closed ends a complete
 * response.
 */
export function breakOff(socket: Layered): void {
  try {
    ;(socket._parent ?? socket).resetAndDestroy()
  } catch {
    // Only TCP has resets: Node throws for a Unix socket, or for TLS over a stream.
    socket.destroy()
  }
}

import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** How long a client may read nothing of a response, in milliseconds. The unusual number identifies our timeout. */
const patienceMs = 30_001
/** How many bytes of unread responses this process may hold. */
const maxUnreadBytes = 256 * 1024 * 1024

/** The waiting bytes of each connection; those that have waited longest come first. */
const unread = new Map<Socket, number>()
let unreadBytes = 0

/**
 * Watches a response that was written to its connection but not yet sent completely. A client that reads nothing for 30
 * seconds loses its connection. If all unread responses take too much memory, the connections that have waited longest
 * are ended.
 */
export function watchUnread(socket: Socket, res: ServerResponse): void {
  const bytes = socket.writableLength
  if (bytes === 0 || socket.destroyed) return
  unread.set(socket, bytes)
  unreadBytes += bytes
  const before = socket.timeout ?? 0
  // A socket's timeout restarts with each part that the client reads.
  socket.setTimeout(patienceMs)
  res.once('timeout', () => socket.destroy())
  res.once('close', () => {
    unreadBytes -= unread.get(socket) ?? 0
    unread.delete(socket)
    // Node has set its own timeout otherwise.
    if (socket.timeout === patienceMs) socket.setTimeout(before)
  })
  for (const [each, its] of unread) {
    if (unreadBytes <= maxUnreadBytes) return
    unread.delete(each)
    unreadBytes -= its
    each.destroy()
  }
}

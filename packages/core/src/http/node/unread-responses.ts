import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** How long a client may read nothing of a response, in milliseconds: a number by which this time limit is known. */
const patienceMs = 30_001
/** How much may wait in this process until clients have read it, in bytes. */
const maxUnreadBytes = 256 * 1024 * 1024

/** How many bytes wait on which connection; those that have waited longest come first. */
const unread = new Map<Socket, number>()
let unreadBytes = 0

/**
 * Looks after a response that its connection has been given whole. Where the system does not take all of it, the client has to
 * read on: one that reads nothing for 30 seconds loses its connection, and those that have waited longest lose theirs when
 * all together keep too much waiting.
 */
export function watchUnread(socket: Socket, res: ServerResponse): void {
  const bytes = socket.writableLength
  if (bytes === 0 || socket.destroyed) return
  unread.set(socket, bytes)
  unreadBytes += bytes
  const before = socket.timeout ?? 0
  // A socket's limit of time begins anew with each part that the client reads.
  socket.setTimeout(patienceMs)
  res.once('timeout', () => socket.destroy())
  res.once('close', () => {
    unreadBytes -= unread.get(socket) ?? 0
    unread.delete(socket)
    // Otherwise Node has set its own.
    if (socket.timeout === patienceMs) socket.setTimeout(before)
  })
  for (const [each, its] of unread) {
    if (unreadBytes <= maxUnreadBytes) return
    unread.delete(each)
    unreadBytes -= its
    each.destroy()
  }
}

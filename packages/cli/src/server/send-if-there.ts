import type { Serializable } from 'node:child_process'

interface Peer {
  send?(message: Serializable, callback: (error: Error | null) => void): boolean
}

/**
 * Sends a message to another process of the service, and ignores that the process has ended: it may die before its end is noticed,
 * and the crew reports its end. Without a callback, the error would end this process too.
 */
export function sendIfThere(peer: Peer, message: Serializable): void {
  peer.send?.(message, () => {})
}

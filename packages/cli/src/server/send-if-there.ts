import type { Serializable } from 'node:child_process'

interface Peer {
  send?(message: Serializable, callback: (error: Error | null) => void): boolean
}

/**
 * Sends a message to another process of the service. A process that has just ended is ignored: `WorkerCrew` reports its
 * end. Without a callback, the error would end this process too.
 */
export function sendIfThere(peer: Peer, message: Serializable): void {
  peer.send?.(message, () => {})
}

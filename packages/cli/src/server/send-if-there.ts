import type { Serializable } from 'node:child_process'

interface Peer {
  send?(message: Serializable, callback: (error: Error | null) => void): boolean
}

/**
 * Sends to a process of ours, and passes over that it is gone: it may die before we hear of it, nobody waits for it longer
 * than a moment, and its end is said by whoever looks after it. Without a callback the fault would end this process too.
 */
export function sendIfThere(peer: Peer, message: Serializable): void {
  peer.send?.(message, () => {})
}

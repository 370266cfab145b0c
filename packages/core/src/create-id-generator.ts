import { randomBytes } from 'node:crypto'
import { v7 } from 'uuid'

/**
 * Makes UUIDv7 (RFC 9562) from a clock, each greater than the one before: within a millisecond, and when the clock
 * goes back, the sequence counts on.
 */
export function createIdGenerator(clock: () => number): () => string {
  let msecs = 0
  let seq = 0
  return () => {
    const now = clock()
    if (now > msecs) {
      msecs = now
      // The upper half stays free to count in.
      seq = randomBytes(4).readUInt32BE() >>> 1
    } else if (seq === 0xffff_ffff) {
      msecs++
      seq = 0
    } else seq++
    return v7({ msecs, seq })
  }
}

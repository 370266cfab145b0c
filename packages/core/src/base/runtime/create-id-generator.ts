import { randomFillSync } from 'node:crypto'
import { v7 } from 'uuid'

/** How much randomness is drawn at once: a call for each id costs more than the id. */
const poolBytes = 4096
const bytesPerId = 16

/**
 * Makes UUIDv7 (RFC 9562) from a clock, each greater than the one before: within a millisecond, and when the clock
 * goes back, the sequence counts on.
 */
export function createIdGenerator(clock: () => number): () => string {
  const pool = Buffer.alloc(poolBytes)
  let used = poolBytes
  let msecs = 0
  let seq = 0
  return () => {
    if (used === poolBytes) {
      randomFillSync(pool)
      used = 0
    }
    const random = pool.subarray(used, used + bytesPerId)
    used += bytesPerId
    const now = clock()
    if (now > msecs) {
      msecs = now
      // The upper half stays free to count in. These four bytes stand nowhere else in the id.
      seq = random.readUInt32BE() >>> 1
    } else if (seq === 0xffff_ffff) {
      msecs++
      seq = 0
    } else seq++
    return v7({ msecs, seq, random })
  }
}

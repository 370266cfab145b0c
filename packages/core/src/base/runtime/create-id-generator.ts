import { randomFillSync } from 'node:crypto'
import { v7 } from 'uuid'

/** How many random bytes are drawn at once: one call per id would cost more than the id itself. */
const poolBytes = 4096
const bytesPerId = 16

/**
 * Makes UUIDv7 (RFC 9562) from a clock. Each id is greater than the last: within one millisecond, and when the clock
 * goes back, a counter increases.
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
      // The upper half leaves room to count. The id uses these four bytes nowhere else.
      seq = random.readUInt32BE() >>> 1
    } else if (seq === 0xffff_ffff) {
      msecs++
      seq = 0
    } else seq++
    return v7({ msecs, seq, random })
  }
}

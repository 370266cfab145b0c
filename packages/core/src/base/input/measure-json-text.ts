const quote = 0x22
const backslash = 0x5c
const comma = 0x2c

export interface JsonMeasures {
  /** How many values there are, all told */
  values: number
  /** How deep arrays and objects nest */
  depth: number
}

/**
 * Counts what a text of JSON holds, in one pass and without parsing it: what nobody wants to look at is not made first.
 * Of a text that is not JSON it says anything.
 */
export function measureJsonText(bytes: Uint8Array): JsonMeasures {
  let values = 1
  let depth = 0
  let deepest = 0
  /** Whether an array or object has just begun: what comes next is its first value, or its end */
  let hasBegun = false
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0
    // Spaces, and the other blanks that JSON allows
    if (byte <= 0x20) continue
    const isEnd = byte === 0x5d || byte === 0x7d
    if (hasBegun && !isEnd) values++
    hasBegun = false
    if (byte === quote) at = findStringEnd(bytes, at)
    else if (byte === comma) values++
    else if (isEnd) depth--
    else if (byte === 0x5b || byte === 0x7b) {
      hasBegun = true
      depth++
      if (depth > deepest) deepest = depth
    }
  }
  return { values, depth: deepest }
}

/**
 * Cuts a text of JSON where it first nests deeper than allowed, and ends what is open there: what it says of that place is said
 * without what nests below.
 */
export function cutJsonText(bytes: Uint8Array, maxDepth: number): Uint8Array {
  const ends: number[] = []
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0
    if (byte === quote) at = findStringEnd(bytes, at)
    else if (byte === 0x5d || byte === 0x7d) ends.pop()
    else if (byte === 0x5b || byte === 0x7b) {
      // In ASCII each ends two behind its beginning.
      ends.push(byte + 2)
      if (ends.length > maxDepth)
        return Buffer.concat([bytes.subarray(0, at + 1), Buffer.from(ends.reverse())])
    }
  }
  return bytes
}

/** The place of the quote that ends the string which begins there */
function findStringEnd(bytes: Uint8Array, start: number): number {
  for (let at = start + 1; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === quote) return at
    if (byte === backslash) at++
  }
  return bytes.length
}

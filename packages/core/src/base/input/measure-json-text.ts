const quote = 0x22
const backslash = 0x5c
const comma = 0x2c

export interface JsonMeasures {
  /** The total number of values */
  values: number
  /** How deeply arrays and objects nest */
  depth: number
}

/**
 * Counts the values and the depth of a JSON text in one pass without parsing it, so that text over the limits is never
 * parsed. For text that is not JSON the result is meaningless.
 */
export function measureJsonText(bytes: Uint8Array): JsonMeasures {
  let values = 1
  let depth = 0
  let deepest = 0
  /** Whether an array or object has just begun: its first value or its end comes next */
  let hasBegun = false
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0
    // The four blanks that JSON allows
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
 * Cuts a JSON text at the first place that nests too deeply, and closes the open arrays and objects. Messages about
 * that place stay correct.
 */
export function cutJsonText(bytes: Uint8Array, maxDepth: number): Uint8Array {
  const ends: number[] = []
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0
    if (byte === quote) at = findStringEnd(bytes, at)
    else if (byte === 0x5d || byte === 0x7d) ends.pop()
    else if (byte === 0x5b || byte === 0x7b) {
      // In ASCII a closing bracket is its opening bracket plus two.
      ends.push(byte + 2)
      if (ends.length > maxDepth)
        return Buffer.concat([bytes.subarray(0, at + 1), Buffer.from(ends.reverse())])
    }
  }
  return bytes
}

/** The index of the quote that ends the string which begins at this index */
export function findStringEnd(bytes: Uint8Array, start: number): number {
  for (let at = start + 1; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === quote) return at
    if (byte === backslash) at++
  }
  return bytes.length
}

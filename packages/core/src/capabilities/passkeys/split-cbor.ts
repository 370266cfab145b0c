/** The limits of CBOR. */
export interface CborLimits {
  /** How deeply arrays, maps and tags may nest */
  levels: number
  /** The number of items on all levels together */
  items: number
}

/**
 * Splits CBOR items (RFC 8949) that stand one after the other, without decoding them; undefined when they exceed the
 * limits, are cut off, or have an indefinite length, which no authenticator sends.
 */
export function splitCbor(
  bytes: Uint8Array<ArrayBuffer>,
  limits: CborLimits,
): Uint8Array<ArrayBuffer>[] | undefined {
  const split: Uint8Array<ArrayBuffer>[] = []
  /** For each open item, how many of its items are still to come */
  const open: number[] = []
  let start = 0
  let at = 0
  for (let count = 0; at < bytes.length; count++) {
    if (count >= limits.items) return undefined
    const head = bytes[at++] ?? 0
    const kind = head >> 5
    const size = head & 31
    if (size > 27) return undefined
    const width = size < 24 ? 0 : 2 ** (size - 24)
    let value = size < 24 ? size : 0
    for (let index = 0; index < width; index++) value = value * 256 + (bytes[at++] ?? 0)
    if (kind === 2 || kind === 3) at += value
    const items = kind === 4 ? value : kind === 5 ? 2 * value : kind === 6 ? 1 : 0
    if (items > 0 && open.push(items) > limits.levels) return undefined
    while (items === 0 && open.length > 0) {
      const left = (open.pop() ?? 0) - 1
      if (left > 0) {
        open.push(left)
        break
      }
    }
    if (open.length > 0) continue
    split.push(bytes.subarray(start, at))
    start = at
  }
  return open.length === 0 && at === bytes.length ? split : undefined
}

/**
 * Whether the first item of a CBOR text (RFC 8949) nests arrays, maps and tags deeper than `most`. Invalid CBOR does
 * not count as deep: the decoder refuses it.
 */
export function isDeepCbor(bytes: Uint8Array, most: number): boolean {
  /** For each open item, how many of its items are still to come */
  const open: number[] = []
  let at = 0
  do {
    const head = bytes[at++] ?? breakByte
    const kind = head >> 5
    const size = head & 31
    // Of indefinite length, or reserved: no authenticator sends it, and the decoder refuses it.
    if (size > 27) return false
    const width = size < 24 ? 0 : 2 ** (size - 24)
    let value = size < 24 ? size : 0
    for (let index = 0; index < width; index++) value = value * 256 + (bytes[at++] ?? 0)
    if (kind === 2 || kind === 3) at += value
    const items = kind === 4 ? value : kind === 5 ? 2 * value : kind === 6 ? 1 : 0
    if (items > 0 && open.push(items) > most) return true
    while (items === 0 && open.length > 0) {
      const left = (open.pop() ?? 0) - 1
      if (left > 0) {
        open.push(left)
        break
      }
    }
  } while (open.length > 0 && at < bytes.length)
  return false
}

const breakByte = 0xff

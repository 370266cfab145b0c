import { getRandomValues } from 'node:crypto'
import { findStringEnd } from './measure-json-text.ts'

const quote = 0x22
const comma = 0x2c

/** The maximum number in a text of others. Metadata of 8 KiB has at most 1,365. */
export const maxLayouts = 2_500

/** Of this process: otherwise texts could be made in which different names look alike. */
const [seed = 0, factor = 0] = getRandomValues(new Uint32Array(2))
const multiplier = factor | 1

/**
 * Counts the layouts of objects in a JSON text, up to a number, without parsing it: each name that follows other names
 * than it did before is one. A parser stores each layout, so that new ones take a hundred times as long as known ones.
 * Objects with the same names in the same order have the same layouts. For text that is not JSON the result is
 * meaningless.
 *
 * @param most the count stops above this
 */
export function countLayouts(bytes: Uint8Array, most: number): number {
  const known = new Set<number>()
  /** For each open object a hash of its names so far; for an array nothing */
  const open: (number | undefined)[] = []
  let isNameNext = false
  for (let at = 0; at < bytes.length && known.size <= most; at++) {
    const byte = bytes[at] ?? 0
    if (byte === quote) {
      const end = findStringEnd(bytes, at)
      if (isNameNext) {
        const layout = hashOn(open.at(-1) ?? 0, bytes, at, end)
        known.add(layout)
        open[open.length - 1] = layout
        isNameNext = false
      }
      at = end
    } else if (byte === comma) isNameNext = open.at(-1) !== undefined
    else if (byte === 0x7b) {
      open.push(seed)
      isNameNext = true
    } else if (byte === 0x5b) {
      open.push(undefined)
      isNameNext = false
    } else if (byte === 0x5d || byte === 0x7d) {
      open.pop()
      isNameNext = false
    }
  }
  return known.size
}

/** Continues a hash with the bytes of a name and its first quote. */
function hashOn(before: number, bytes: Uint8Array, start: number, end: number): number {
  let hash = before
  for (let at = start; at < end; at++) {
    hash = Math.imul(hash ^ (bytes[at] ?? 0), multiplier)
    hash ^= hash >>> 15
  }
  return hash
}

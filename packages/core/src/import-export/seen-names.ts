import { hash } from 'node:crypto'

const firstSlots = 1 << 12

/**
 * A set of e-mails or ids in 16 to 32 bytes each, for a dry run over a file of any length. It keeps 64 bits of a hash: of
 * a million addresses, two different ones are taken for the same once in 37 million runs.
 */
export class SeenNames {
  #slots = new BigUint64Array(firstSlots)
  #count = 0

  has(name: string): boolean {
    return this.#slots[find(this.#slots, keyOf(name))] !== 0n
  }

  add(name: string): void {
    if (!put(this.#slots, keyOf(name))) return
    this.#count++
    if (this.#count * 2 <= this.#slots.length) return
    const larger = new BigUint64Array(this.#slots.length * 2)
    for (const each of this.#slots) if (each !== 0n) put(larger, each)
    this.#slots = larger
  }
}

/** Zero marks an empty slot. */
function keyOf(name: string): bigint {
  return hash('sha256', name, 'buffer').readBigUInt64LE() || 1n
}

function put(slots: BigUint64Array, key: bigint): boolean {
  const index = find(slots, key)
  if (slots[index] === key) return false
  slots[index] = key
  return true
}

/** Where the key is, or where it would be put. */
function find(slots: BigUint64Array, key: bigint): number {
  const mask = slots.length - 1
  let index = Number(key & 0xffff_ffffn) & mask
  while (slots[index] !== key && slots[index] !== 0n) index = (index + 1) & mask
  return index
}

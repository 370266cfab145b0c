import { hash } from 'node:crypto'

const firstSlots = 1 << 12

/**
 * A set of addresses in 16 to 32 bytes each, for a dry run over a file of any length. It keeps 64 bits of a hash: of a
 * million addresses, two different ones are taken for the same once in 37 million runs.
 */
export class SeenEmails {
  #slots = new BigUint64Array(firstSlots)
  #count = 0

  /** Answers whether the address is new. */
  add(email: string): boolean {
    // Zero marks an empty slot.
    const key = hash('sha256', email, 'buffer').readBigUInt64LE() || 1n
    if (!put(this.#slots, key)) return false
    this.#count++
    if (this.#count * 2 > this.#slots.length) {
      const larger = new BigUint64Array(this.#slots.length * 2)
      for (const each of this.#slots) if (each !== 0n) put(larger, each)
      this.#slots = larger
    }
    return true
  }
}

function put(slots: BigUint64Array, key: bigint): boolean {
  const mask = slots.length - 1
  let index = Number(key & 0xffff_ffffn) & mask
  for (;;) {
    const found = slots[index]
    if (found === key) return false
    if (found === 0n) {
      slots[index] = key
      return true
    }
    index = (index + 1) & mask
  }
}

import { isUtf8 } from 'node:buffer'

/** Says whether a file that comes in chunks is UTF-8: whatever it is else would be read as other letters. */
export class Utf8Check {
  #line = 1
  /** The beginning of a character */
  #rest = Buffer.alloc(0)

  /** Answers with the line of the first byte that is not UTF-8. */
  add(chunk: Buffer): number | undefined {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk])
    const end = findWholeEnd(bytes)
    this.#rest = Buffer.from(bytes.subarray(end))
    return this.#check(bytes.subarray(0, end))
  }

  /** The same at the end of the file. */
  end(): number | undefined {
    return this.#rest.length === 0 ? undefined : this.#line
  }

  #check(bytes: Buffer): number | undefined {
    const isSound = isUtf8(bytes)
    let start = 0
    for (let end = bytes.indexOf(10); end !== -1; end = bytes.indexOf(10, start)) {
      if (!isSound && !isUtf8(bytes.subarray(start, end))) return this.#line
      this.#line++
      start = end + 1
    }
    return isSound ? undefined : this.#line
  }
}

/** Where a character begins that has not come whole; the end where there is none. */
function findWholeEnd(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0
    if (byte < 0x80) break
    if (byte < 0xc0) continue
    const length = byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4
    return back < length ? bytes.length - back : bytes.length
  }
  return bytes.length
}

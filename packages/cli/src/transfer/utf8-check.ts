import { isUtf8 } from 'node:buffer'

/** Checks that a file is UTF-8, chunk by chunk: another encoding would be read as wrong letters. */
export class Utf8Check {
  #line = 1
  /** The beginning of a character */
  #rest = Buffer.alloc(0)

  /** Returns the line of the first byte that is not UTF-8. */
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

/** The start of an incomplete character at the end; the end if there is none. */
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

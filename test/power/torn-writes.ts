/** A disk writes a sector whole or not at all. */
const sectorBytes = 512
const walHeaderBytes = 32
const frameHeaderBytes = 24

/** Bytes that were written to a file in one go. */
export interface FileWrite {
  at: number
  bytes: Buffer
}

/** The writes to a log of SQLite that lead from one content to another: its header, and a frame for each page. */
export function findWalWrites(before: Buffer, after: Buffer, pageBytes: number): FileWrite[] {
  const starts = [0]
  const frameBytes = frameHeaderBytes + pageBytes
  for (let at = walHeaderBytes; at < after.length; at += frameBytes) starts.push(at)
  return findChanged(before, after, starts)
}

/** The writes of a checkpoint: pages. */
export function findPageWrites(before: Buffer, after: Buffer, pageBytes: number): FileWrite[] {
  const starts = Array.from({ length: after.length / pageBytes }, (_, page) => page * pageBytes)
  return findChanged(before, after, starts)
}

function findChanged(before: Buffer, after: Buffer, starts: readonly number[]): FileWrite[] {
  return starts.flatMap((at, index) => {
    const bytes = after.subarray(at, starts[index + 1] ?? after.length)
    return bytes.equals(before.subarray(at, at + bytes.length)) ? [] : [{ at, bytes }]
  })
}

/** What a disk may have of writes that were not synced: any of them, in any order, the last one in part. */
export function* tearWrites(before: Buffer, writes: readonly FileWrite[]): Generator<Buffer> {
  yield before
  for (let count = 0; count < writes.length; count++) {
    const written = writes.slice(0, count)
    const [next] = writes.slice(count)
    if (next === undefined) continue
    // In part: its first sector, its half, all but its last byte.
    for (const bytes of [sectorBytes, next.bytes.length / 2, next.bytes.length - 1]) {
      const torn = { at: next.at, bytes: next.bytes.subarray(0, Math.floor(bytes)) }
      if (torn.bytes.length < next.bytes.length) yield apply(before, [...written, torn])
    }
    // Its end without its beginning.
    const half = Math.ceil(next.bytes.length / 2 / sectorBytes) * sectorBytes
    yield apply(before, [...written, { at: next.at + half, bytes: next.bytes.subarray(half) }])
    yield apply(before, [...written, next])
    // All but this one: later writes may overtake it.
    yield apply(before, [...written, ...writes.slice(count + 1)])
  }
}

export function apply(before: Buffer, writes: readonly FileWrite[]): Buffer {
  const end = Math.max(before.length, ...writes.map(({ at, bytes }) => at + bytes.length))
  const after = Buffer.alloc(end)
  before.copy(after)
  for (const { at, bytes } of writes) bytes.copy(after, at)
  return after
}

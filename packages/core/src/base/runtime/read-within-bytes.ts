/** How many rows are read at first, when nothing is known of their size */
const firstRows = 100

interface Size<Row> {
  maxBytes: number
  /** About how many bytes a row takes in an answer */
  sizeOf(row: Row): number
}

interface Bounds<Row> extends Size<Row> {
  /** Of rows */
  limit: number
}

/**
 * Reads rows a part at a time, until there are `limit` or they take `maxBytes`: the last part may go beyond by little. So
 * what one answer takes of memory, and of the event loop, does not grow with what callers store in a row.
 *
 * @param read answers with the next rows, behind this one, at most so many
 */
export async function readWithinBytes<Row>(
  { limit, maxBytes, sizeOf }: Bounds<Row>,
  read: (last: Row | undefined, limit: number) => Promise<Row[]>,
): Promise<{ rows: Row[]; isEnd: boolean }> {
  const rows: Row[] = []
  let bytes = 0
  for (;;) {
    const mean = bytes / rows.length
    const fitting = rows.length === 0 ? firstRows : Math.ceil((maxBytes - bytes) / mean)
    const wanted = Math.max(1, Math.min(limit - rows.length, fitting))
    const part = await read(rows.at(-1), wanted)
    for (const row of part) bytes += sizeOf(row)
    rows.push(...part)
    if (part.length < wanted) return { rows, isEnd: true }
    if (rows.length >= limit || bytes >= maxBytes) return { rows, isEnd: false }
  }
}

/** The first rows, until they take `maxBytes`: the last may go beyond. */
export function takeWithinBytes<Row>(
  rows: readonly Row[],
  { maxBytes, sizeOf }: Size<Row>,
): readonly Row[] {
  let bytes = 0
  const count = rows.findIndex((row) => {
    bytes += sizeOf(row)
    return bytes >= maxBytes
  })
  return count === -1 ? rows : rows.slice(0, count + 1)
}

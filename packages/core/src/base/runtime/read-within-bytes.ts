interface Size<Row> {
  maxBytes: number
  /** About how many bytes a row takes in a response */
  sizeOf(row: Row): number
}

interface Bounds<Row> extends Size<Row> {
  /** The maximum number of rows */
  limit: number
  /** How many rows are read at first, when their size is unknown. @default 100 */
  firstRows?: number
}

/**
 * Reads rows in parts until there are `limit` rows or they take `maxBytes`; the last part may exceed that a little. The
 * memory and event loop time of one response therefore do not grow with what callers store in a row.
 *
 * @param read returns the next rows after the given one, at most `limit`
 */
export async function readWithinBytes<Row>(
  { limit, firstRows = 100, maxBytes, sizeOf }: Bounds<Row>,
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

/** The first rows that take `maxBytes`; the last row may exceed that. */
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

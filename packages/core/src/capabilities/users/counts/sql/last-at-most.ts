/** The index of the last item that is at most `limit` in an ascending list; -1 when there is none. */
export function lastAtMost<T extends string | number>(sorted: readonly T[], limit: T): number {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >>> 1
    const item = sorted[middle]
    if (item !== undefined && item <= limit) low = middle + 1
    else high = middle
  }
  return low - 1
}

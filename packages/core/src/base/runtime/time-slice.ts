import { setImmediate as endOfTurn } from 'node:timers/promises'

const milliseconds = 10

/**
 * A slice of the event loop's time. Long work checks after each item whether the slice `isOver` and awaits `next`, so
 * that requests are answered in between.
 */
export class TimeSlice {
  #end = performance.now() + milliseconds

  get isOver(): boolean {
    return performance.now() >= this.#end
  }

  async next(): Promise<void> {
    await endOfTurn()
    this.#end = performance.now() + milliseconds
  }
}

/** Maps each item, in slices of time. */
export async function mapInSlices<Item, Result>(
  items: readonly Item[],
  make: (item: Item) => Result,
): Promise<Result[]> {
  const slice = new TimeSlice()
  const results: Result[] = []
  for (const item of items) {
    if (slice.isOver) await slice.next()
    results.push(make(item))
  }
  return results
}

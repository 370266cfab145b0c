import { setImmediate as endOfTurn } from 'node:timers/promises'

const milliseconds = 10

/**
 * A share of the event loop's time. Work on many things asks after each whether its share `isOver`, and waits for the
 * `next`, so that requests which came meanwhile are answered first.
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

/** Makes something of each item, a slice of time after the other. */
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

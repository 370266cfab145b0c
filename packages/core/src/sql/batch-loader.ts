import { ClienteleError } from '../base/errors.ts'

/** So many statements of one key are under way at once; calls beyond them wait to share the next. */
const maxUnderWay = 2
/** So many calls share one */
const usualShared = 100

interface Waiting<Call, Answer> {
  call: Call
  resolve: (answer: Answer) => void
  reject: (error: unknown) => void
}

/**
 * Lets calls that meet share a round trip. A call is answered by a statement that begins after it, never by one that
 * was under way: what it is told is not older than it. Where a statement fails for what it was asked, each call is asked by
 * itself: the fault of one is not the others'.
 */
export class BatchLoader<Call, Answer> {
  readonly #answer: (key: string, calls: Call[]) => Promise<Answer[]>
  readonly #maxShared: number
  readonly #lanes = new Map<string, { waiting: Waiting<Call, Answer>[]; underWay: number }>()

  /**
   * @param answer answers calls of one key, in their order
   * @param maxShared fewer than 100 where each answer takes long to write
   */
  constructor(
    answer: (key: string, calls: Call[]) => Promise<Answer[]>,
    maxShared: number = usualShared,
  ) {
    this.#answer = answer
    this.#maxShared = maxShared
  }

  load(key: string, call: Call): Promise<Answer> {
    let lane = this.#lanes.get(key)
    if (lane === undefined) {
      lane = { waiting: [], underWay: 0 }
      this.#lanes.set(key, lane)
    }
    const { waiting } = lane
    return new Promise((resolve, reject) => {
      waiting.push({ call, resolve, reject })
      // What one turn of the event loop brings goes together: the first of it would go alone.
      if (waiting.length === 1) setImmediate(() => this.#proceed(key))
    })
  }

  #proceed(key: string): void {
    const lane = this.#lanes.get(key)
    if (lane === undefined || lane.underWay === maxUnderWay) return
    const shared = lane.waiting.splice(0, this.#maxShared)
    if (shared.length === 0) {
      if (lane.underWay === 0) this.#lanes.delete(key)
      return
    }
    lane.underWay++
    const end = (): void => {
      lane.underWay--
      this.#proceed(key)
    }
    if (lane.waiting.length > 0) this.#proceed(key)
    const calls = shared.map(({ call }) => call)
    this.#answer(key, calls).then(
      (answers) => {
        // As many answers as calls, in their order.
        for (const [index, { resolve }] of shared.entries()) resolve(answers[index] as Answer)
        end()
      },
      (error: unknown) => {
        // The database is away, or says no to all.
        if (shared.length === 1 || error instanceof ClienteleError) {
          for (const { reject } of shared) reject(error)
          end()
        } else void this.#answerEach(key, shared).finally(end)
      },
    )
  }

  async #answerEach(key: string, shared: readonly Waiting<Call, Answer>[]): Promise<void> {
    for (const { call, resolve, reject } of shared) {
      // One answer to one call.
      await this.#answer(key, [call]).then(([answer]) => resolve(answer as Answer), reject)
    }
  }
}

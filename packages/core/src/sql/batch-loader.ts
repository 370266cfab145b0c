import { ClienteleError } from '../base/errors.ts'

/** How many statements of one key run at once; further calls wait and share the next statement. */
const usualUnderWay = 2
/** How many calls may share one statement */
const usualShared = 100

interface Waiting<Call, Answer> {
  call: Call
  resolve: (answer: Answer) => void
  reject: (error: unknown) => void
}

/**
 * Answers calls that arrive together with one statement, in one round trip. A call is answered by a statement that
 * starts after it, so its result is never older than the call. When a shared statement fails because of its input, each
 * call runs its own statement: one call's fault does not affect the others.
 */
export class BatchLoader<Call, Answer> {
  readonly #answer: (key: string, calls: Call[]) => Promise<Answer[]>
  readonly #maxShared: number
  readonly #maxUnderWay: number
  readonly #lanes = new Map<string, { waiting: Waiting<Call, Answer>[]; underWay: number }>()

  /**
   * @param answer returns the results of calls of one key, in their order
   * @param maxShared fewer than 100 when a result takes long to write
   * @param maxUnderWay 1 if a second statement of a key would wait for the lock of the first
   */
  constructor(
    answer: (key: string, calls: Call[]) => Promise<Answer[]>,
    maxShared: number = usualShared,
    maxUnderWay: number = usualUnderWay,
  ) {
    this.#answer = answer
    this.#maxShared = maxShared
    this.#maxUnderWay = maxUnderWay
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
      // Calls of one turn of the event loop run together; otherwise the first call would run alone.
      if (waiting.length === 1) setImmediate(() => this.#proceed(key))
    })
  }

  #proceed(key: string): void {
    const lane = this.#lanes.get(key)
    if (lane === undefined || lane.underWay === this.#maxUnderWay) return
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
        // One result per call, in the same order.
        for (const [index, { resolve }] of shared.entries()) resolve(answers[index] as Answer)
        end()
      },
      (error: unknown) => {
        // The database is unavailable, or refuses every call.
        if (shared.length === 1 || error instanceof ClienteleError) {
          for (const { reject } of shared) reject(error)
          end()
        } else void this.#answerEach(key, shared).finally(end)
      },
    )
  }

  async #answerEach(key: string, shared: readonly Waiting<Call, Answer>[]): Promise<void> {
    for (const { call, resolve, reject } of shared) {
      // One call, one result.
      await this.#answer(key, [call]).then(([answer]) => resolve(answer as Answer), reject)
    }
  }
}

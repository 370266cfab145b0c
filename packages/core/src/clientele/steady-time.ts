/** How far the clock may differ from the monotonic one since the last look, in milliseconds */
const toleratedMs = 60_000
/** How long the clock has to run evenly after a doubt until it is believed, in milliseconds */
const provingMs = 3_600_000
/** A process that starts this long after the newest event doubts its clock, in milliseconds. */
const usualGapMs = 24 * 3_600_000

interface SteadyTimeOptions {
  clock: () => number
  /** Milliseconds since any time, which no correction of the clock changes. @default `process.hrtime` */
  monotonic?: (() => number) | undefined
}

/** Why the clock is not believed: by how much it is ahead, in milliseconds */
export interface Doubt {
  kind: 'jumped' | 'started_late'
  aheadMs: number
}

/**
 * Whether the clock can be believed where a mistake cannot be undone. A clock that is wrong for a minute must not delete
 * what has not expired: after a jump ahead, and after a start long after the newest event, it has to run evenly for an hour.
 */
export class SteadyTime {
  readonly #clock: () => number
  readonly #monotonic: () => number
  readonly startedAt: number
  /** The believed difference between the two clocks */
  #base: number
  #doubt: { base: number; since: number; about: Doubt } | undefined

  constructor({ clock, monotonic = readMonotonic }: SteadyTimeOptions) {
    this.#clock = clock
    this.#monotonic = monotonic
    this.startedAt = clock()
    this.#base = this.#readBase()
  }

  /** Compares the clock at the start with the newest event that was written before. */
  compareWithNewest(newestEventAt: number | undefined): void {
    const aheadMs = newestEventAt === undefined ? 0 : this.startedAt - newestEventAt
    if (aheadMs <= usualGapMs) return
    const about = { kind: 'started_late', aheadMs } as const
    this.#doubt = { base: this.#base, since: this.#monotonic(), about }
  }

  /** Why the clock is doubted; undefined: it is believed. */
  look(): Doubt | undefined {
    const base = this.#readBase()
    const aheadMs = base - this.#base
    const isSteady = this.#doubt !== undefined && Math.abs(base - this.#doubt.base) <= toleratedMs
    if (this.#doubt !== undefined && isSteady) {
      if (this.#monotonic() - this.#doubt.since < provingMs) return this.#doubt.about
      this.#doubt = undefined
    } else if (this.#isLateStill(base)) {
      return this.#doubt?.about
    } else if (aheadMs > toleratedMs) {
      const about = { kind: 'jumped', aheadMs } as const
      this.#doubt = { base, since: this.#monotonic(), about }
      return about
    }
    // It was never ahead, has gone back, or has proved itself.
    this.#doubt = undefined
    this.#base = base
    return undefined
  }

  /** Whether the clock was set while a late start was doubted, and is still far ahead: the hour begins again. */
  #isLateStill(base: number): boolean {
    if (this.#doubt?.about.kind !== 'started_late') return false
    const aheadMs = this.#doubt.about.aheadMs + base - this.#doubt.base
    if (aheadMs <= usualGapMs) return false
    this.#doubt = { base, since: this.#monotonic(), about: { kind: 'started_late', aheadMs } }
    return true
  }

  #readBase(): number {
    return this.#clock() - this.#monotonic()
  }
}

function readMonotonic(): number {
  return Number(process.hrtime.bigint() / 1_000_000n)
}

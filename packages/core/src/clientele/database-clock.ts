import type { Logger } from '../base/runtime/logger.ts'

/** A smaller difference is left as it is: two processes are twice this apart at most. In milliseconds */
const toleratedMs = 1_000
/** An answer that took longer tells the time too vaguely. */
const maxAnswerMs = 500
const measureEveryMs = 60_000
/** How often it is tried as long as there was no answer since the start, or since the clock jumped */
const retryMs = 1_000

export interface DatabaseClockOptions {
  /** Reads the time of the database's server; undefined: the database runs on this machine, by the same clock */
  readTime: (() => Promise<number>) | undefined
  logger: Logger
  /** @default `Date.now` */
  wall?: () => number
  /** @default `performance.now` */
  monotonic?: () => number
}

/**
 * The time that all processes of a database share. If the clock of this process differs from the database's, it is
 * corrected by the difference, and the log says so: otherwise one process would refuse the tokens of another and take
 * second uses of a refresh token for theft.
 */
export class DatabaseClock {
  readonly #options: DatabaseClockOptions
  readonly #wall: () => number
  readonly #monotonic: () => number
  #correctionMs = 0
  /** The correction that the log has */
  #toldMs = 0
  /** The difference between the two clocks of this process when they were last compared */
  #base: number
  /** Whether the correction was not measured since the start, or since the last jump */
  #isGuessed = true
  #measuredAt = Number.NEGATIVE_INFINITY
  #timer: NodeJS.Timeout | undefined
  #measuring: Promise<void> | undefined

  constructor(options: DatabaseClockOptions) {
    this.#options = options
    this.#wall = options.wall ?? (() => Date.now())
    this.#monotonic = options.monotonic ?? (() => performance.now())
    this.#base = this.#wall() - this.#monotonic()
  }

  /** Milliseconds since the epoch */
  readonly now = (): number => {
    const wall = this.#wall()
    if (this.#options.readTime === undefined) return wall
    const movedMs = wall - this.#monotonic() - this.#base
    if (Math.abs(movedMs) > toleratedMs) this.#noteJump(movedMs)
    return wall + this.#correctionMs
  }

  /** Compares the clocks every minute, and every second until the first answer. */
  start(): void {
    if (this.#options.readTime === undefined) return
    this.#timer = setInterval(() => {
      const isTime = this.#monotonic() - this.#measuredAt >= measureEveryMs
      if (this.#isGuessed || isTime) void this.measure()
    }, retryMs).unref()
  }

  close(): void {
    clearInterval(this.#timer)
  }

  /** Compares the clocks. Simultaneous calls share one comparison. */
  measure(): Promise<void> {
    this.#measuring ??= this.#compare().finally(() => {
      this.#measuring = undefined
    })
    return this.#measuring
  }

  /** The clock of this process was set, or the machine slept: the time goes on as before until the database is asked. */
  #noteJump(movedMs: number): void {
    this.#base += movedMs
    this.#isGuessed = true
    this.#correctionMs -= Math.round(movedMs)
    void this.measure()
  }

  async #compare(): Promise<void> {
    const { readTime, logger } = this.#options
    if (readTime === undefined) return
    const startedAt = this.#monotonic()
    this.#measuredAt = startedAt
    const base = this.#base
    // A database that does not answer is noticed by other queries.
    const time = await readTime().catch(() => undefined)
    const tookMs = this.#monotonic() - startedAt
    if (time === undefined || tookMs > maxAnswerMs) return
    const wall = this.#wall()
    // The clock jumped meanwhile: whether before or after the database read its own is unknown.
    if (this.#base !== base) return
    this.#isGuessed = false
    this.#base = wall - this.#monotonic()
    const aheadMs = Math.round(wall - (time + tookMs / 2))
    const correctionMs = Math.abs(aheadMs) > toleratedMs ? -aheadMs : 0
    this.#correctionMs = correctionMs
    if (Math.abs(correctionMs - this.#toldMs) <= toleratedMs) return
    this.#toldMs = correctionMs
    const details = { aheadSeconds: aheadMs / 1000 }
    if (correctionMs === 0) logger.info(details, "The clock agrees with the database's again.")
    else
      logger.warn(
        details,
        "The clock of this process differs from the database's, which is used instead. Synchronise the clocks (NTP).",
      )
  }
}

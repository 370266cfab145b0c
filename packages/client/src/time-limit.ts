import { type Failure, fail } from './result.ts'

/** The end of a call: by its signal, or when nothing has come for too long. */
export class TimeLimit {
  readonly #given: AbortSignal | undefined
  readonly #timeoutMs: number | undefined
  readonly #controller = new AbortController()
  #timer: ReturnType<typeof setTimeout> | undefined
  #hasTimedOut = false

  /** @param timeoutMs undefined: only the signal ends the call */
  constructor(given: AbortSignal | undefined, timeoutMs: number | undefined) {
    this.#given = given
    this.#timeoutMs = timeoutMs
    given?.addEventListener('abort', this.#stop)
    this.restart()
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Nothing is waited for until `restart`. */
  pause(): void {
    clearTimeout(this.#timer)
  }

  /** Something has come, or is waited for again. */
  restart(): void {
    this.pause()
    if (this.#timeoutMs === undefined) return
    this.#timer = setTimeout(() => {
      this.#hasTimedOut = true
      this.#controller.abort()
    }, this.#timeoutMs)
  }

  end(): void {
    this.pause()
    this.#given?.removeEventListener('abort', this.#stop)
  }

  /** Makes a problem of an error of fetch; the signal's reason is thrown. */
  explain(cause: unknown): Failure<string> {
    this.#given?.throwIfAborted()
    return this.#hasTimedOut
      ? fail('timed_out', `No answer came within ${Number(this.#timeoutMs) / 1000} seconds.`)
      : fail('no_answer', 'No answer came: see cause.', { cause })
  }

  readonly #stop = () => this.#controller.abort(this.#given?.reason)
}

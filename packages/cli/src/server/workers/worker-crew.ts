import cluster, { type Worker } from 'node:cluster'
import type { AddressInfo } from 'node:net'
import type { Logger } from 'pino'
import type { StopSignal } from '../hear-signals.ts'
import { tellClosedListeners } from './closed-listeners.ts'

/**
 * If a worker lives shorter than this, the next one starts after a pause, which doubles with each such worker while others
 * serve. In milliseconds.
 */
const shortLifeMs = 10_000
const firstPauseMs = 1_000
const longestPauseMs = 30_000
/** If no worker listens, the server gives up after this number of workers in a row that ended before they listened. */
const mostFailures = 5

/** As where there is no more memory, or a container may have no more processes */
const refused = 'The system refused a worker: another one is started.'

/** The workers that serve: started, started again when they die, and stopped together. */
export class WorkerCrew {
  readonly #count: number
  readonly #logger: Logger
  readonly #startedAt = new Map<Worker, number>()
  readonly #listening = new Set<Worker>()
  readonly #pauses = new Set<NodeJS.Timeout>()
  /** The number of short-lived workers in a row */
  #shortLives = 0
  /** The number of workers in a row that never listened */
  #failures = 0
  /** The shared port, once the first worker listens */
  #address: AddressInfo | undefined
  #isStopping = false
  #hasFailed = false

  constructor(count: number, logger: Logger) {
    this.#count = count
    this.#logger = logger
  }

  /** Starts one worker and, once it listens, the others. An error at the start of the first one ends the process. */
  start(): Promise<AddressInfo> {
    tellClosedListeners(() => this.#isStopping)
    cluster.on('exit', (worker, code, signal) => this.#bury(worker, code, signal))
    return new Promise((resolve) => {
      cluster.on('listening', (worker, { address, port, addressType }) => {
        this.#listening.add(worker)
        this.#failures = 0
        this.#logger.info({ worker: worker.process.pid }, 'A worker listens.')
        if (this.#isStopping || this.#address !== undefined) return
        this.#address = { address, port, family: addressType === 6 ? 'IPv6' : 'IPv4' }
        for (let more = 1; more < this.#count; more++) this.#fork()
        resolve(this.#address)
      })
      this.#fork()
    })
  }

  /** Lets every worker finish its running requests; then the process ends. */
  stop(signal: StopSignal): void {
    this.#isStopping = true
    for (const pause of this.#pauses) clearTimeout(pause)
    for (const worker of this.#startedAt.keys()) worker.process.kill(signal)
    this.#endWhenAlone()
  }

  #fork(): void {
    try {
      const worker = cluster.fork()
      this.#startedAt.set(worker, performance.now())
      worker.on('error', (error) => this.#hearError(worker, error))
    } catch (error) {
      this.#startAnother(refused, { error })
    }
  }

  #hearError(worker: Worker, error: Error): void {
    const { pid } = worker.process
    if (pid !== undefined) {
      this.#logger.error({ worker: pid, error }, 'A worker cannot be reached.')
      return
    }
    // It has no process, and so no exit, and Node would count it further.
    delete cluster.workers?.[worker.id]
    this.#startedAt.delete(worker)
    if (this.#isStopping) this.#endWhenAlone()
    else this.#startAnother(refused, { error })
  }

  #bury(worker: Worker, code: number | null, signal: string | null): void {
    const lifeMs = performance.now() - (this.#startedAt.get(worker) ?? 0)
    this.#startedAt.delete(worker)
    const hasListened = this.#listening.delete(worker)
    if (this.#isStopping) {
      // A worker that got the signal before its handler was set has served no request.
      if (code !== 0 && hasListened) this.#hasFailed = true
      this.#endWhenAlone()
      return
    }
    // The worker has logged the reason.
    if (this.#address === undefined) process.exit(code || 1)
    const reason = { worker: worker.process.pid, code, signal }
    this.#startAnother('A worker died: another one is started.', reason, lifeMs, hasListened)
  }

  #startAnother(message: string, reason: object, lifeMs = 0, hasListened = false): void {
    if (!hasListened) this.#failures++
    const mayRetry = this.#address !== undefined && this.#failures < mostFailures
    if (!mayRetry && this.#listening.size === 0) {
      this.#logger.error(reason, 'No worker can be started: giving up.')
      process.exit(1)
    }
    this.#shortLives = lifeMs < shortLifeMs ? this.#shortLives + 1 : 0
    const longestMs = this.#listening.size === 0 ? firstPauseMs : longestPauseMs
    const pauseMs =
      this.#shortLives === 0 ? 0 : Math.min(firstPauseMs * 2 ** (this.#shortLives - 1), longestMs)
    this.#logger.error({ ...reason, pauseMs }, message)
    const pause = setTimeout(() => {
      this.#pauses.delete(pause)
      this.#fork()
    }, pauseMs)
    this.#pauses.add(pause)
  }

  #endWhenAlone(): void {
    if (this.#startedAt.size === 0) process.exit(this.#hasFailed ? 1 : 0)
  }
}

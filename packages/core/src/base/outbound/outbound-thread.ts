import { existsSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import { toError } from './exchange/exchange-fault.ts'
import type { ThreadAnswer, ThreadRequest } from './exchange/exchange-thread.ts'
import type { ExchangeWatch } from './exchange/open-request.ts'
import type { Exchange, ExchangeResults } from './exchange/run-exchange.ts'

/** The path of the thread's file in the build, relative to this file, which is then two folders further up */
const threadPath = './base/outbound/exchange/exchange-thread.js'

/** The limits of the thread's heap in MiB. Bodies are not in it. */
const resourceLimits = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 8 }

/** The thread could not be started: nothing was sent. */
export class ThreadUnavailable extends Error {
  override readonly name = 'ThreadUnavailable'
}

interface Waiting {
  settle: () => void
  resolve: (result: ExchangeResults[Exchange['kind']]) => void
  reject: (error: Error) => void
}

/**
 * The thread in which requests are made to servers that other parties chose. Such a server can take CPU time, during
 * the handshake or with its response: then other requests to such servers wait, and nothing else does.
 */
export class OutboundThread {
  readonly #worker: Worker
  readonly #waiting = new Map<number, Waiting>()
  /** Kept until the thread is done: a cancelled handshake has its cost, too. */
  readonly #charges = new Map<number, ExchangeWatch['charge']>()
  #latestId = 0
  #isReady = false
  #fault: unknown

  /**
   * @param onExit called when the thread has ended, whatever the reason
   * @throws ThreadUnavailable
   */
  constructor(onExit: () => void) {
    this.#worker = startThread()
    // It keeps the process alive only during requests.
    this.#worker.unref()
    this.#worker.on('message', (answer: ThreadAnswer) => this.#take(answer))
    this.#worker.on('error', (error) => {
      this.#fault = error
    })
    this.#worker.on('exit', () => {
      onExit()
      this.#failAll()
    })
  }

  /** @throws ThreadUnavailable; the signal's reason; any error of `runExchange`; Error when the thread ends meanwhile */
  run(
    exchange: Exchange,
    { signal, charge }: ExchangeWatch,
  ): Promise<ExchangeResults[Exchange['kind']]> {
    return new Promise((resolve, reject) => {
      signal.throwIfAborted()
      const id = ++this.#latestId
      const cancel = () => {
        this.#settle(id)
        this.#send({ cancelledId: id })
        reject(signal.reason)
      }
      signal.addEventListener('abort', cancel)
      const settle = () => signal.removeEventListener('abort', cancel)
      this.#waiting.set(id, { settle, resolve, reject })
      this.#charges.set(id, charge)
      this.#worker.ref()
      this.#send({ id, exchange })
    })
  }

  /** Ends the thread: requests under way fail. */
  async end(): Promise<void> {
    this.#isReady = true
    await this.#worker.terminate()
  }

  #send(request: ThreadRequest): void {
    this.#worker.postMessage(request)
  }

  #take(answer: ThreadAnswer): void {
    if ('isReady' in answer) {
      this.#isReady = true
      return
    }
    if ('usedMs' in answer) {
      this.#charges.get(answer.id)?.(answer.usedMs)
      return
    }
    this.#charges.delete(answer.id)
    const waiting = this.#settle(answer.id)
    if ('result' in answer) waiting?.resolve(answer.result)
    else waiting?.reject(toError(answer.fault))
  }

  #settle(id: number): Waiting | undefined {
    const waiting = this.#waiting.get(id)
    this.#waiting.delete(id)
    if (this.#waiting.size === 0) this.#worker.unref()
    waiting?.settle()
    return waiting
  }

  #failAll(): void {
    const cause = this.#fault
    const error = this.#isReady
      ? new Error('The thread of the connection has ended.', { cause })
      : new ThreadUnavailable('The thread did not start.', { cause })
    for (const id of [...this.#waiting.keys()]) this.#settle(id)?.reject(error)
  }
}

function startThread(): Worker {
  try {
    const file = new URL(threadPath, import.meta.url)
    if (existsSync(file)) return new Worker(file, { name: 'clientele-outbound', resourceLimits })
  } catch (error) {
    // Node may forbid threads.
    throw new ThreadUnavailable('No thread can be started.', { cause: error })
  }
  throw new ThreadUnavailable("A bundle lacks the thread's file.")
}

import { closedFault } from '../runtime/closed-fault.ts'
import type { Logger } from '../runtime/logger.ts'
import type { ExchangeWatch } from './exchange/open-request.ts'
import type { Exchange, ExchangeResults } from './exchange/run-exchange.ts'
import { OutboundThread, ThreadUnavailable } from './outbound-thread.ts'
import { ThreadTime } from './thread-time.ts'

/** The process has one thread, for all that use it. */
let thread: OutboundThread | undefined
const users = new Set<Outbound>()

/**
 * Makes requests to servers that other parties chose, in a thread of their own: the first request starts it, also after
 * it has died. Without the thread (a bundle may lack its file) requests are made on the event loop.
 */
export class Outbound {
  readonly #logger: Logger
  readonly #time = new ThreadTime()
  #isClosed = false
  #hasWarned = false

  constructor(logger: Logger) {
    this.#logger = logger
  }

  /**
   * @throws ClienteleError `overloaded` when handshakes with the account's servers take too much time,
   *   `storage_unavailable` after `close`; the signal's reason; any error of `runExchange`; Error when the thread ends
   *   meanwhile
   */
  run<E extends Exchange>(
    accountId: string,
    exchange: E,
    signal: AbortSignal,
  ): Promise<ExchangeResults[E['kind']]> {
    return this.#time.run(accountId, signal, async (charge) => {
      const watch = { signal, charge }
      return (await this.#run(exchange, watch)) as ExchangeResults[E['kind']] // of the same kind
    })
  }

  async #run(exchange: Exchange, watch: ExchangeWatch) {
    if (this.#isClosed) throw closedFault()
    users.add(this)
    try {
      return await findThread().run(exchange, watch)
    } catch (error) {
      if (!(error instanceof ThreadUnavailable)) throw error
      this.#warn(error)
    }
    // Loaded here: with the thread, this one needs no TLS.
    const { runExchange } = await import('./exchange/run-exchange.ts')
    return runExchange(exchange, watch)
  }

  /** The last one that is closed ends the thread. */
  async close(): Promise<void> {
    this.#isClosed = true
    users.delete(this)
    if (users.size > 0) return
    const ended = thread
    thread = undefined
    await ended?.end()
  }

  #warn(error: ThreadUnavailable): void {
    if (this.#hasWarned) return
    this.#hasWarned = true
    this.#logger.warn(
      { error },
      'Requests to webhooks and issuers are made on the event loop: their thread cannot be started.',
    )
  }
}

function findThread(): OutboundThread {
  if (thread === undefined) {
    const started = new OutboundThread(() => {
      if (thread === started) thread = undefined
    })
    thread = started
  }
  return thread
}

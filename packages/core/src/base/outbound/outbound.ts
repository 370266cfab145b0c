import { closedFault } from '../runtime/closed-fault.ts'
import type { Logger } from '../runtime/logger.ts'
import type { ExchangeWatch } from './exchange/open-request.ts'
import type { Exchange, ExchangeResults } from './exchange/run-exchange.ts'
import { OutboundThread, ThreadUnavailable } from './outbound-thread.ts'
import { ThreadTime } from './thread-time.ts'

/** The one thread of the process, which all instances share. */
let thread: OutboundThread | undefined
const instances = new Set<Outbound>()

/**
 * Makes requests to servers that other parties chose, in a thread of their own. A request starts the thread if it is not
 * running, also after a crash. Without the thread (a bundle may lack its file) requests are made on the event loop.
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
   * @param prepare makes the exchange when it begins: requests of an account may have to wait
   * @throws ClienteleError `overloaded` when handshakes with the account's servers take too much time,
   *   `storage_unavailable` after `close`; the signal's reason; any error of `prepare` and `runExchange`; Error when the
   *   thread ends meanwhile
   */
  run<E extends Exchange>(
    accountId: string,
    prepare: () => E | Promise<E>,
    signal: AbortSignal,
  ): Promise<ExchangeResults[E['kind']]> {
    return this.#time.run(accountId, signal, async (charge) => {
      const watch = { signal, charge }
      return (await this.#run(await prepare(), watch)) as ExchangeResults[E['kind']] // of the same kind
    })
  }

  async #run(exchange: Exchange, watch: ExchangeWatch) {
    if (this.#isClosed) throw closedFault()
    instances.add(this)
    try {
      return await findThread().run(exchange, watch)
    } catch (error) {
      if (!(error instanceof ThreadUnavailable)) throw error
      this.#warn(error)
    }
    // Loaded only here: while the other thread runs, the main thread needs no TLS.
    const { runExchange } = await import('./exchange/run-exchange.ts')
    return runExchange(exchange, watch)
  }

  /** Closing the last instance ends the thread. */
  async close(): Promise<void> {
    this.#isClosed = true
    instances.delete(this)
    if (instances.size > 0) return
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

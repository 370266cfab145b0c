import type { Call } from '../../base/call/call.ts'
import { ClienteleError } from '../../base/errors.ts'
import type { Observer } from '../../base/observe/observer.ts'
import { withinTime } from '../../base/outbound/within-time.ts'
import { FairLimit } from '../../base/runtime/fair-limit.ts'
import type { Logger } from '../../base/runtime/logger.ts'
import { HookRefusal } from './hook-refusal.ts'
import type { ClienteleHooks, HookContext, HookName } from './hook-types.ts'

/** How long a hook may take, its wait for a turn included */
const limitMs = 3_000
/** How many hooks run at once, in this process and of one account, and how many of an account wait */
const atOnce = 256
const atOncePerAccount = 16
const maxWaiting = 200

/** Asks the host's hooks. */
export interface Hooks {
  has(name: HookName): boolean
  /**
   * Asks a hook that is there.
   *
   * @throws ClienteleError `refused_by_hook`, with its words; `hook_unavailable` when it fails or is late; `hook_failed`
   *   when `read` throws it; `overloaded` when too many of the account wait
   */
  ask<Answer, Result>(
    call: Call,
    name: HookName,
    ask: (hooks: ClienteleHooks, context: HookContext) => Answer | Promise<Answer>,
    read: (answer: Answer) => Result,
  ): Promise<Result>
  /** Ends what is still asked. */
  close(): void
}

export interface HookRunnerOptions {
  hooks: ClienteleHooks
  logger: Logger
  /** Undefined: no observers */
  tell: Observer['hook'] | undefined
}

/** Asks them in time. A hook that hangs for one account leaves the others alone: it has a sixteenth of the places at most. */
export class HookRunner implements Hooks {
  readonly #options: HookRunnerOptions
  readonly #turns = new FairLimit({
    atOnce,
    atOncePerKey: atOncePerAccount,
    maxWaiting,
    retryAfterSeconds: 1,
  })
  readonly #closing = new AbortController()

  constructor(options: HookRunnerOptions) {
    this.#options = options
  }

  has(name: HookName): boolean {
    return this.#options.hooks[name] !== undefined
  }

  async ask<Answer, Result>(
    call: Call,
    name: HookName,
    ask: (hooks: ClienteleHooks, context: HookContext) => Answer | Promise<Answer>,
    read: (answer: Answer) => Result,
  ): Promise<Result> {
    const result = await this.#ask(call, name, ask, read)
    await call.stayAdmitted?.()
    return result
  }

  async #ask<Answer, Result>(
    call: Call,
    name: HookName,
    ask: (hooks: ClienteleHooks, context: HookContext) => Answer | Promise<Answer>,
    read: (answer: Answer) => Result,
  ): Promise<Result> {
    // That the account asks too much at once is no fault of the hook.
    this.#turns.assertRoom(call.accountId)
    const startedAt = performance.now()
    let outcome: 'answered' | 'refused' | 'failed' = 'failed'
    try {
      const result = read(await this.#askInTime(call, ask))
      outcome = 'answered'
      return result
    } catch (error) {
      if (!(error instanceof HookRefusal)) throw this.#toFault(call, name, error)
      outcome = 'refused'
      throw new ClienteleError('refused_by_hook', error.message || undefined)
    } finally {
      const durationMs = performance.now() - startedAt
      this.#options.tell?.({
        accountId: call.accountId,
        hook: name,
        outcome,
        startedAt,
        durationMs,
      })
    }
  }

  close(): void {
    this.#closing.abort()
  }

  #askInTime<Answer>(
    { accountId, actor, requestId, clientAddress, hookContext }: Call,
    ask: (hooks: ClienteleHooks, context: HookContext) => Answer | Promise<Answer>,
  ): Promise<Answer> {
    const askInTurn = (signal: AbortSignal) =>
      this.#turns.run(
        accountId,
        () => {
          const about = { accountId, actor, requestId, clientAddress, hookContext, signal }
          return unlessAborted(signal, async () => ask(this.#options.hooks, about))
        },
        signal,
      )
    // A function that never answers keeps no process: without a server it would end, and its caller learn nothing.
    return withinTime(limitMs, this.#closing.signal, askInTurn, true)
  }

  /** Logs the fault, and makes the error of the caller, who does not learn the cause. */
  #toFault({ accountId, requestId }: Call, hook: HookName, error: unknown): ClienteleError {
    const isFailed = error instanceof ClienteleError && error.code === 'hook_failed'
    const cause = isFailed ? error.cause : error
    this.#options.logger.error({ hook, accountId, requestId, error: cause }, 'A hook failed.')
    return isFailed
      ? error
      : new ClienteleError('hook_unavailable', undefined, { cause, retryAfterSeconds: 1 })
  }
}

/** Rejects when the signal aborts, even if the work goes on. */
function unlessAborted<Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    work().then(resolve, reject)
  })
}

/** In a transaction of the host's: a hook would keep it open, and others waiting. */
export function refuseHooks(hooks: Hooks): Hooks {
  return {
    has: (name) => hooks.has(name),
    close: () => hooks.close(),
    ask: async (_call, name) => {
      throw new ClienteleError(
        'hook_in_transaction',
        `The hook ${name} does not run in a transaction: do this outside of within().`,
      )
    },
  }
}

import { constants } from 'node:os'

/** A second signal so soon is the first one again: sent to the whole group, and passed on by whoever started us. */
const sameSignalMs = 1000

/** Ended by whoever started it: said in one sentence, without a stack. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted'
  readonly exitCode: number

  constructor(message: string, exitCode: number) {
    super(message)
    this.exitCode = exitCode
  }

  /** The same in other words. */
  saying(message: string): Interrupted {
    return new Interrupted(message, this.exitCode)
  }
}

export interface Interruption {
  /** Aborted by Ctrl-C or SIGTERM; its reason is `Interrupted` */
  signal: AbortSignal
  /** Leaves signals to their usual effect again. */
  forget(): void
}

/** Lets what is under way come to a good end at the first signal; the second, a second later, ends at once. */
export function awaitInterruption(): Interruption {
  const controller = new AbortController()
  let heardAt = 0
  const hear = (signal: NodeJS.Signals): void => {
    const exitCode = 128 + constants.signals[signal]
    if (!controller.signal.aborted) {
      heardAt = Date.now()
      controller.abort(new Interrupted('Interrupted.', exitCode))
    } else if (Date.now() - heardAt > sameSignalMs) process.exit(exitCode)
  }
  process.on('SIGINT', hear).on('SIGTERM', hear)
  return {
    signal: controller.signal,
    forget: () => {
      process.off('SIGINT', hear).off('SIGTERM', hear)
    },
  }
}

import { constants } from 'node:os'

/** A second signal within this time is a copy of the first: the group gets it, and the parent process forwards it. */
const sameSignalMs = 1000

/** The user or the parent process interrupted the command: reported in one sentence, without a stack. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted'
  readonly exitCode: number

  constructor(message: string, exitCode: number) {
    super(message)
    this.exitCode = exitCode
  }

  /** The same error with another message. */
  saying(message: string): Interrupted {
    return new Interrupted(message, this.exitCode)
  }
}

export interface Interruption {
  /** Aborted by Ctrl-C or SIGTERM; its reason is `Interrupted` */
  signal: AbortSignal
  /** Restores the default effect of signals. */
  forget(): void
}

/** Aborts gracefully at the first signal; a second signal more than a second later ends the process at once. */
export function awaitInterruption(): Interruption {
  const controller = new AbortController()
  let heardAt = 0
  const hear = (signal: NodeJS.Signals): void => {
    const exitCode = 128 + constants.signals[signal]
    if (!controller.signal.aborted) {
      heardAt = performance.now()
      controller.abort(new Interrupted('Interrupted.', exitCode))
    } else if (performance.now() - heardAt > sameSignalMs) process.exit(exitCode)
  }
  process.on('SIGINT', hear).on('SIGTERM', hear)
  return {
    signal: controller.signal,
    forget: () => {
      process.off('SIGINT', hear).off('SIGTERM', hear)
    },
  }
}

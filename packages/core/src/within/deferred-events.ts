import { Events } from '../events/events.ts'
import type { NewEvent } from '../events/new-event.ts'
import type { Logger } from '../runtime/logger.ts'
import type { StoredUser } from '../users/stored-user.ts'
import type { WaitingEvent } from './commit-watch.ts'

/** Keeps what a call tells of, until it is known whether it was committed. */
export class DeferredEvents extends Events {
  #waiting: WaitingEvent[] = []

  constructor(logger: Logger) {
    super(logger, () => {})
  }

  override emit(event: NewEvent, user?: StoredUser): void {
    this.#waiting.push({ event, user })
  }

  /** Answers with what has been told since the last time. */
  take(): WaitingEvent[] {
    const waiting = this.#waiting
    this.#waiting = []
    return waiting
  }
}

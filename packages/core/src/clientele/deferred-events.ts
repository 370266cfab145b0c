import type { Logger } from '../base/runtime/logger.ts'
import { Events } from '../capabilities/events/events.ts'
import type { NewEvent } from '../capabilities/events/new-event.ts'
import type { StoredUser } from '../user-model/stored-user.ts'
import type { WaitingEvent } from './commit-watch.ts'

/** Holds the events of a call until it is known whether it was committed. */
export class DeferredEvents extends Events {
  #waiting: WaitingEvent[] = []

  constructor(logger: Logger) {
    super(logger, () => {})
  }

  override emit(event: NewEvent, user?: StoredUser): void {
    this.#waiting.push({ event, user })
  }

  /** Returns the events since the last time. */
  take(): WaitingEvent[] {
    const waiting = this.#waiting
    this.#waiting = []
    return waiting
  }
}

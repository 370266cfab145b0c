import type { Services } from '../services.ts'
import type { EventListener, EventName } from './events.ts'

/**
 * What happens, told in the same process.
 *
 * @example
 * const stop = clientele.events.on('user.created', ({ accountId, user }) => sendWelcome(accountId, user.email))
 * stop()
 */
export interface EventsApi {
  /**
   * Listens from now on to what this process commits. What a listener throws, or its promise rejects with, is logged and
   * changes nothing.
   *
   * @returns a function that ends the listening
   * @throws ClienteleError `validation_failed` for a name that no event has
   */
  on<Name extends EventName>(name: Name, listener: EventListener<Name>): () => void
}

export function createEventsApi({ events }: Services): { events: EventsApi } {
  return { events: { on: (name, listener) => events.on(name, listener) } }
}

import type { NewEvent } from './new-event.ts'
import type { EventsServices } from './services.ts'

/**
 * Writes and publishes an event without a change of rows. Returns false, without either, if what it is about is gone by
 * now: the user, whose last event says so, or the account.
 */
export async function appendEvent(
  { repository, events }: EventsServices,
  event: NewEvent,
): Promise<boolean> {
  const isWritten = await repository.events.append(event.accountId, event)
  if (isWritten) events.emit(event)
  return isWritten
}

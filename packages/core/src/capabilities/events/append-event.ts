import type { NewEvent } from './new-event.ts'
import type { EventsServices } from './services.ts'

/**
 * Writes and publishes an event without a change of rows. Returns false, without either, if what it is about is gone by
 * now: the user, whose last event says so, or the account. A failed sign-in of such a user is told as nobody's.
 */
export async function appendEvent(
  { repository, events, sealEvent }: EventsServices,
  event: NewEvent,
): Promise<boolean> {
  const isWritten = await repository.events.append(event.accountId, event)
  if (isWritten) events.emit(event)
  // Listeners get an address with it, which is gone.
  else if (event.type === 'user.login_failed' && event.subject.id !== null)
    await repository.events.append(event.accountId, ofNobody(event, sealEvent))
  return isWritten
}

function ofNobody(event: NewEvent, sealEvent: EventsServices['sealEvent']): NewEvent {
  const subject = { ...event.subject, id: null }
  const nobodys = { ...event, subject, person: undefined }
  return { ...nobodys, seal: sealEvent?.(nobodys) }
}

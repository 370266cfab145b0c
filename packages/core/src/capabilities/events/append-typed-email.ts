import type { NewEvent } from './new-event.ts'
import type { EventsServices } from './services.ts'

/** Writes an event that names an e-mail which somebody typed; of e-mails that nobody has, so many an hour. */
export async function appendTypedEmail(
  { repository, events, eventLimits, clock }: EventsServices,
  event: NewEvent<'user.login_failed' | 'user.password_reset_requested'>,
): Promise<void> {
  const { accountId, subject } = event
  if (!(await eventLimits.mayTellOfEmail(accountId, subject.id !== null))) {
    // A write, as for a user: how long it takes must not tell either.
    await repository.rateLimits.add(accountId, 'unwritten-event', 1, clock(), clock() + 60_000)
    return
  }
  await repository.events.append(accountId, event)
  events.emit(event)
}

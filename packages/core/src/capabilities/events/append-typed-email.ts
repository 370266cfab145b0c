import { appendEvent } from './append-event.ts'
import type { NewEvent } from './new-event.ts'
import type { EventsServices } from './services.ts'

/**
 * Writes an event that names an e-mail address as it was typed. For addresses without a user there is an hourly
 * maximum.
 */
export async function appendTypedEmail(
  services: EventsServices,
  event: NewEvent<'user.login_failed' | 'user.password_reset_requested'>,
): Promise<void> {
  const { repository, eventLimits, clock } = services
  const { accountId, subject } = event
  if (!(await eventLimits.mayTellOfEmail(accountId, subject.id !== null))) {
    // Without an event, another row is written: the duration must not reveal whether there is a user.
    await repository.rateLimits.add(accountId, 'unwritten-event', 1, clock(), clock() + 60_000)
    return
  }
  await appendEvent(services, event)
}

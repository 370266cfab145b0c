import type { Call } from '../../base/call/call.ts'
import { ClienteleError } from '../../base/errors.ts'
import { newEvent } from '../events/new-event.ts'
import { findUser } from '../users/find-user.ts'
import type { MfaServices } from './services.ts'

/**
 * Enables e-mailed codes as a user's second factor.
 *
 * @throws ClienteleError `user_not_found`, `mail_unavailable`
 */
export async function enrolEmailFactor(
  services: MfaServices,
  call: Call,
  userId: string,
): Promise<void> {
  const { repository, sendMail, events } = services
  if (sendMail === undefined) throw new ClienteleError('mail_unavailable')
  const { user } = await findUser(services, call, userId)
  const data = { method: 'email' } as const
  const event = newEvent(services, call, 'two_factor.enrolled', userId, data, { user })
  const outcome = await repository.mfa.enableEmail(call.accountId, userId, event)
  if (outcome === 'user_not_found') throw new ClienteleError(outcome)
  if (outcome === 'enabled') events.emit(event)
}

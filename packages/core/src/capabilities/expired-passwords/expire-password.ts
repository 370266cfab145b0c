import type { Call } from '../../base/call/call.ts'
import { newEvent } from '../events/new-event.ts'
import { findUser } from '../users/find-user.ts'
import type { ExpiredPasswordsServices } from './services.ts'

/**
 * Makes a user choose another password at the next sign-in with it. Sessions go on. Without a password, or with one that
 * has expired, nothing changes.
 *
 * @throws ClienteleError `user_not_found`
 */
export async function expirePassword(
  services: ExpiredPasswordsServices,
  call: Call,
  userId: string,
): Promise<void> {
  const { repository, events } = services
  const event = newEvent(services, call, 'user.password_expired', userId, {})
  const expired = await repository.expiredPasswords.expire(call.accountId, userId, event)
  if (expired === undefined) await findUser(services, call, userId)
  else events.emit(event, expired.user)
}

import type { Call } from '../../base/call/call.ts'
import { ClienteleError } from '../../base/errors.ts'
import { newEvent } from '../events/new-event.ts'
import { findUser } from '../users/find-user.ts'
import { createRecoveryCodes, hashRecoveryCode } from './one-time-codes.ts'
import type { MfaServices } from './services.ts'

/**
 * Replaces all recovery codes by ten new ones.
 *
 * @throws ClienteleError `user_not_found`, `two_factor_not_enrolled`
 */
export async function renewRecoveryCodes(
  services: MfaServices,
  call: Call,
  userId: string,
): Promise<string[]> {
  const { user } = await findUser(services, call, userId)
  const codes = createRecoveryCodes()
  const hashes = codes.map((code) => hashRecoveryCode(userId, code))
  const { repository, events } = services
  const type = 'two_factor.recovery_codes_renewed'
  const event = newEvent(services, call, type, userId, {}, { user })
  if (!(await repository.mfa.replaceRecoveryCodes(call.accountId, userId, hashes, event))) {
    throw new ClienteleError('two_factor_not_enrolled')
  }
  events.emit(event)
  return codes
}

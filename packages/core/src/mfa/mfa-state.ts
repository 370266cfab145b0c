import { type Call, originOf } from '../call.ts'
import { ClienteleError } from '../errors.ts'
import type { Services } from '../services.ts'
import { findUser } from '../users/find-user.ts'
import { createRecoveryCodes, hashRecoveryCode } from './one-time-codes.ts'

export interface MfaState {
  totp: boolean
  email: boolean
  recoveryCodesLeft: number
}

/** @throws ClienteleError `user_not_found` */
export async function readMfaState(
  services: Services,
  call: Call,
  userId: string,
): Promise<MfaState> {
  const factor = await services.repository.mfa.find(call.accountId, userId)
  if (factor === undefined) await findUser(services, call, userId)
  return {
    totp: factor?.isTotpConfirmed ?? false,
    email: factor?.isEmailEnabled ?? false,
    recoveryCodesLeft: factor?.recoveryCodesLeft ?? 0,
  }
}

/**
 * Lets a user prove the second factor by a code that is mailed.
 *
 * @throws ClienteleError `user_not_found`, `mail_unavailable`
 */
export async function enrolEmailFactor(
  services: Services,
  call: Call,
  userId: string,
): Promise<void> {
  const { repository, sendMail, events } = services
  if (sendMail === undefined) throw new ClienteleError('mail_unavailable')
  const { user } = await findUser(services, call, userId)
  const outcome = await repository.mfa.enableEmail(call.accountId, userId)
  if (outcome === 'user_not_found') throw new ClienteleError(outcome)
  if (outcome === 'enabled') {
    events.emit('two_factor.enrolled', { ...originOf(call), user, method: 'email' })
  }
}

/**
 * Makes ten new recovery codes in the place of all there were.
 *
 * @throws ClienteleError `user_not_found`, `two_factor_not_enrolled`
 */
export async function renewRecoveryCodes(
  services: Services,
  call: Call,
  userId: string,
): Promise<string[]> {
  const { user } = await findUser(services, call, userId)
  const codes = createRecoveryCodes()
  const hashes = codes.map((code) => hashRecoveryCode(userId, code))
  if (!(await services.repository.mfa.replaceRecoveryCodes(call.accountId, userId, hashes))) {
    throw new ClienteleError('two_factor_not_enrolled')
  }
  services.events.emit('two_factor.recovery_codes_renewed', { ...originOf(call), user })
  return codes
}

/**
 * Removes every second factor of a user, with the recovery codes and open challenges.
 *
 * @throws ClienteleError `user_not_found`
 */
export async function removeMfaFactors(
  services: Services,
  call: Call,
  userId: string,
): Promise<void> {
  const { user } = await findUser(services, call, userId)
  if (await services.repository.mfa.remove(call.accountId, userId)) {
    services.events.emit('two_factor.removed', { ...originOf(call), user })
  }
}

import type { Call } from '../call.ts'
import { ClienteleError } from '../errors.ts'
import { newEvent } from '../events/new-event.ts'
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
  const data = { method: 'email' } as const
  const event = newEvent(services, call, 'two_factor.enrolled', userId, data, { user })
  const outcome = await repository.mfa.enableEmail(call.accountId, userId, event)
  if (outcome === 'user_not_found') throw new ClienteleError(outcome)
  if (outcome === 'enabled') events.emit(event)
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
  const { repository, events } = services
  const type = 'two_factor.recovery_codes_renewed'
  const event = newEvent(services, call, type, userId, {}, { user })
  if (!(await repository.mfa.replaceRecoveryCodes(call.accountId, userId, hashes, event))) {
    throw new ClienteleError('two_factor_not_enrolled')
  }
  events.emit(event)
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
  const { repository, events } = services
  const event = newEvent(services, call, 'two_factor.removed', userId, {}, { user })
  if (await repository.mfa.remove(call.accountId, userId, event)) events.emit(event)
}

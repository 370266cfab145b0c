import type { Call } from '../../base/call/call.ts'
import { findUser } from '../users/find-user.ts'
import type { MfaServices } from './services.ts'

export interface MfaState {
  totp: boolean
  email: boolean
  recoveryCodesLeft: number
}

/** @throws ClienteleError `user_not_found` */
export async function readMfaState(
  services: MfaServices,
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

import type { Call } from '../../base/call/call.ts'
import type { Services } from '../../clientele/services.ts'
import { findUser } from '../users/find-user.ts'

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

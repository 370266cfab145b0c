import type { Call } from '../../base/call/call.ts'
import type { Services } from '../../clientele/services.ts'
import { findUser } from '../users/find-user.ts'

/**
 * Says when the address that a user has now was verified. Null: it was not.
 *
 * @throws ClienteleError `user_not_found`
 */
export async function readEmailVerification(
  services: Services,
  call: Call,
  userId: string,
): Promise<Date | null> {
  const verifiedAt = await services.repository.emailTokens.findVerifiedAt(call.accountId, userId)
  if (verifiedAt !== undefined) return new Date(verifiedAt)
  await findUser(services, call, userId)
  return null
}

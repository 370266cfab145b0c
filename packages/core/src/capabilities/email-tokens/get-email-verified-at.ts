import type { Call } from '../../base/call/call.ts'
import { findUser } from '../users/find-user.ts'
import type { EmailTokensServices } from './services.ts'

/**
 * Returns when the user's present address was verified; null: it is not verified.
 *
 * @throws ClienteleError `user_not_found`
 */
export async function readEmailVerification(
  services: EmailTokensServices,
  call: Call,
  userId: string,
): Promise<Date | null> {
  const verifiedAt = await services.repository.emailTokens.findVerifiedAt(call.accountId, userId)
  if (verifiedAt !== undefined) return new Date(verifiedAt)
  await findUser(services, call, userId)
  return null
}

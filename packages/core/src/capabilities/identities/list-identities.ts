import type { Call } from '../../base/call/call.ts'
import { findUser } from '../users/find-user.ts'
import { type Identity, toIdentity } from './identity.ts'
import type { IdentitiesServices } from './services.ts'

/**
 * Lists a user's identities, oldest first.
 *
 * @throws ClienteleError `user_not_found`
 */
export async function listIdentities(
  services: IdentitiesServices,
  call: Call,
  userId: string,
): Promise<Identity[]> {
  const found = await services.repository.identities.list(call.accountId, userId)
  if (found.length === 0) await findUser(services, call, userId)
  return found.map(toIdentity)
}

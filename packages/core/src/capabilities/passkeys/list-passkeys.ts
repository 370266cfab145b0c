import type { Call } from '../../base/call/call.ts'
import type { Services } from '../../clientele/services.ts'
import { findUser } from '../users/find-user.ts'
import { type Passkey, toPasskey } from './passkey.ts'

/**
 * Lists a user's passkeys, oldest first.
 *
 * @throws ClienteleError `user_not_found`
 */
export async function listPasskeys(
  services: Services,
  call: Call,
  userId: string,
): Promise<Passkey[]> {
  const found = await services.repository.passkeys.list(call.accountId, userId)
  if (found.length === 0) await findUser(services, call, userId)
  return found.map(toPasskey)
}

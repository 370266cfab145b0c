import type { Call } from '../../base/call/call.ts'
import { findUser } from '../users/find-user.ts'
import { type Passkey, toPasskey } from './passkey.ts'
import type { PasskeysServices } from './services.ts'

/**
 * Lists a user's passkeys, oldest first.
 *
 * @throws ClienteleError `user_not_found`
 */
export async function listPasskeys(
  services: PasskeysServices,
  call: Call,
  userId: string,
): Promise<Passkey[]> {
  const found = await services.repository.passkeys.list(call.accountId, userId)
  if (found.length === 0) await findUser(services, call, userId)
  return found.map(toPasskey)
}

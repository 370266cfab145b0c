import type { Call } from '../../base/call/call.ts'
import { ClienteleError } from '../../base/errors.ts'
import type { Services } from '../../clientele/services.ts'
import { findAccount } from '../accounts/find-account.ts'
import type { PasskeySettings } from '../accounts/passkey-settings.ts'

/** @throws ClienteleError `passkeys_not_configured`, `account_not_found` */
export async function findPasskeySettings(
  services: Services,
  call: Call,
): Promise<PasskeySettings> {
  const { passkeys } = await findAccount(services, call)
  if (passkeys === null) throw new ClienteleError('passkeys_not_configured')
  return passkeys
}

import { findAccount } from '../accounts/find-account.ts'
import type { PasskeySettings } from '../accounts/passkey-settings.ts'
import type { Call } from '../call.ts'
import { ClienteleError } from '../errors.ts'
import type { Services } from '../services.ts'

/** @throws ClienteleError `passkeys_not_configured`, `account_not_found` */
export async function findPasskeySettings(
  services: Services,
  call: Call,
): Promise<PasskeySettings> {
  const { passkeys } = await findAccount(services, call)
  if (passkeys === null) throw new ClienteleError('passkeys_not_configured')
  return passkeys
}

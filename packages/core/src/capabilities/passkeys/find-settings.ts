import type { Call } from '../../base/call/call.ts'
import { ClienteleError } from '../../base/errors.ts'
import { findAccountSettings } from '../accounts/find-account.ts'
import type { PasskeySettings } from '../accounts/passkey-settings.ts'
import type { PasskeysServices } from './services.ts'

/** @throws ClienteleError `passkeys_not_configured`, `account_not_found` */
export async function findPasskeySettings(
  services: PasskeysServices,
  call: Call,
): Promise<PasskeySettings> {
  const { passkeys } = await findAccountSettings(services, call)
  if (passkeys === null) throw new ClienteleError('passkeys_not_configured')
  return passkeys
}

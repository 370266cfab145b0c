import type { Call } from '../../base/call/call.ts'
import { ClienteleError } from '../../base/errors.ts'
import type { AccountSettings } from '../accounts/account.ts'
import type { StoredPolicy } from '../accounts/account-policy.ts'
import { assertMethodAllowed } from '../accounts/assert-sign-in.ts'
import { findAccountSettings } from '../accounts/find-account.ts'
import type { PasskeySettings } from '../accounts/passkey-settings.ts'
import type { PasskeysServices } from './services.ts'

/** @throws ClienteleError `passkeys_not_configured`, `account_not_found` */
export async function findPasskeySettings(
  services: PasskeysServices,
  call: Call,
): Promise<PasskeySettings> {
  return readSettings(await findAccountSettings(services, call))
}

/**
 * The settings for a sign-in by a passkey alone, and the policy that allows it, read together.
 *
 * @throws ClienteleError `sign_in_method_disabled`, `passkeys_not_configured`, `account_not_found`
 */
export async function findSignInSettings(
  services: PasskeysServices,
  call: Call,
): Promise<{ settings: PasskeySettings; policy: StoredPolicy }> {
  const account = await findAccountSettings(services, call)
  const { policy } = account
  assertMethodAllowed(policy.rules, 'passkey')
  return { settings: readSettings(account), policy }
}

function readSettings({ passkeys }: AccountSettings): PasskeySettings {
  if (passkeys === null) throw new ClienteleError('passkeys_not_configured')
  return passkeys
}

import type { z } from 'zod'
import type { Call } from '../../base/call/call.ts'
import { ClienteleError } from '../../base/errors.ts'
import type { Account } from '../accounts/account.ts'
import type { passkeySettingsSchema } from '../accounts/passkey-settings.ts'
import { newEvent } from '../events/new-event.ts'
import { loadWebAuthn } from './load-webauthn.ts'
import type { PasskeysServices } from './services.ts'

/**
 * Changes the passkey settings of an account.
 *
 * @throws ClienteleError `account_not_found`, `passkeys_enrolled`, `configuration_invalid`
 */
export async function configurePasskeys(
  services: PasskeysServices,
  call: Call,
  settings: z.output<typeof passkeySettingsSchema>,
  isForced: boolean,
): Promise<Account> {
  const { repository, events } = services
  const { accountId } = call
  // Loaded now, so that a missing package shows here and not at a user's sign-in.
  await loadWebAuthn()
  let changed: Account | undefined
  const event = await repository.passkeys.configure(accountId, settings, isForced, (account) => {
    changed = account
    return newEvent(services, call, 'account.updated', accountId, { account })
  })
  if (event === 'passkeys_enrolled') throw new ClienteleError(event)
  if (event === undefined || changed === undefined) throw new ClienteleError('account_not_found')
  events.emit(event)
  return changed
}

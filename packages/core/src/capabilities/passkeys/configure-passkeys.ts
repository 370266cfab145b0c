import type { z } from 'zod'
import type { Call } from '../../base/call/call.ts'
import { ClienteleError } from '../../base/errors.ts'
import type { Account } from '../accounts/account.ts'
import type { passkeySettingsSchema } from '../accounts/passkey-settings.ts'
import { newEvent } from '../events/new-event.ts'
import { loadWebAuthn } from './load-webauthn.ts'
import type { PasskeysServices } from './services.ts'

/**
 * Says what an account's passkeys are for.
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
  // Who lacks it hears of it here, and not from a user who cannot sign in.
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

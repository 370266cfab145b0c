import type { Call } from '../../base/call/call.ts'
import { ClienteleError } from '../../base/errors.ts'
import { createRequestOptions } from './begin-log-in.ts'
import { toWebAuthnChallenge } from './ceremony.ts'
import { findPasskeySettings } from './find-settings.ts'
import { keyMethodOf, noteUse } from './log-in-with-passkey.ts'
import type { PasskeysServices } from './services.ts'
import { verifyUse } from './verify-response.ts'
import type { PasskeyRequestOptions } from './webauthn-options.ts'
import type { AuthenticationResponse } from './webauthn-responses.ts'

/**
 * Creates the options for a user's second factors. Their challenge is derived from that of the sign-in, which is used
 * up when a second factor succeeds.
 *
 * @throws ClienteleError `two_factor_not_enrolled`, `passkeys_not_configured`
 */
export async function createSecondFactorOptions(
  services: PasskeysServices,
  call: Call,
  userId: string,
  challenge: string,
  seconds: number,
): Promise<PasskeyRequestOptions> {
  const { rpId } = await findPasskeySettings(services, call)
  const passkeys = await services.repository.passkeys.list(call.accountId, userId)
  const credentials = passkeys.filter(
    (passkey) => passkey.use === 'second_factor' && passkey.rpId === rpId,
  )
  if (credentials.length === 0) throw new ClienteleError('two_factor_not_enrolled')
  return createRequestOptions({
    rpId,
    challenge: toWebAuthnChallenge(challenge),
    credentials,
    userVerification: 'discouraged',
    seconds,
  })
}

/** A second factor that was shown */
export interface ShownFactor {
  /** The proven methods, in addition to those of the first step (RFC 8176) */
  amr: string[]
}

/**
 * Verifies that a passkey of the user answers the challenge of a sign-in.
 *
 * @throws ClienteleError `passkey_invalid`, `passkeys_not_configured`
 */
export async function useSecondFactor(
  services: PasskeysServices,
  call: Call,
  userId: string,
  challenge: string,
  response: AuthenticationResponse,
): Promise<ShownFactor> {
  const settings = await findPasskeySettings(services, call)
  const passkeys = await services.repository.passkeys.list(call.accountId, userId)
  const passkey = passkeys.find(
    ({ credentialId, use }) => use === 'second_factor' && credentialId === response.id,
  )
  if (passkey === undefined) throw new ClienteleError('passkey_invalid')
  const used = await verifyUse(services, call, response, passkey, {
    settings,
    challenge: toWebAuthnChallenge(challenge),
    requireUserVerification: false,
  })
  await noteUse(services, call, passkey, used)
  const amr = [keyMethodOf(passkey), ...(used.isUserVerified ? ['user'] : []), 'mfa']
  return { amr }
}

import type { z } from 'zod'
import type { Call } from '../../base/call/call.ts'
import { createSecondFactorOptions } from '../passkeys/second-factor.ts'
import type { PasskeyRequestOptions } from '../passkeys/webauthn-options.ts'
import { findChallenge } from './find-challenge.ts'
import type { challengeOnlySchema } from './mail-mfa-code.ts'
import type { MfaServices } from './services.ts'

/** The data that a page needs to use a passkey as the second factor. */
export interface PasskeyMfaOptions {
  /** For `navigator.credentials.get` */
  options: PasskeyRequestOptions
  /** The remaining lifetime of the challenge, in seconds */
  expiresIn: number
}

/**
 * Creates the options for a user's passkeys that are second factors. The browser's response is sent with the same
 * challenge.
 *
 * @throws ClienteleError `challenge_invalid`, `two_factor_not_enrolled`, `passkeys_not_configured`,
 *   `sign_in_method_disabled`, `email_not_verified`
 */
export async function beginPasskeyMfa(
  services: MfaServices,
  call: Call,
  { challenge }: z.output<typeof challengeOnlySchema>,
): Promise<PasskeyMfaOptions> {
  const { userId, expiresAt } = await findChallenge(services, call, challenge)
  const expiresIn = Math.ceil((expiresAt - services.clock()) / 1000)
  const options = await createSecondFactorOptions(services, call, userId, challenge, expiresIn)
  return { options, expiresIn }
}

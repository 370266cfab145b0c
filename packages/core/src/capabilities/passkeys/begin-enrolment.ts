import { z } from 'zod'
import type { Call } from '../../base/call/call.ts'
import { ClienteleError } from '../../base/errors.ts'
import { isImpersonated } from '../../base/jwt/authentication-claims.ts'
import { toTakenPasskeysTarget } from '../rate-limits/passkey-target.ts'
import { validateToken, validateTokenSchema } from '../tokens/validate-token.ts'
import { findUser } from '../users/find-user.ts'
import { beginCeremony, toWebAuthnChallenge } from './ceremony.ts'
import { ceremonySeconds } from './ceremony-life.ts'
import { findPasskeySettings } from './find-settings.ts'
import { loadWebAuthn } from './load-webauthn.ts'
import { maxPasskeys, passkeyUseSchema } from './passkey.ts'
import type { PasskeysServices } from './services.ts'
import type { PasskeyUse } from './store.ts'
import { passkeyAlgorithms, toUserHandle } from './verify-response.ts'
import type { PasskeyCreationOptions } from './webauthn-options.ts'

export const beginEnrolmentSchema = z
  .strictObject({
    token: validateTokenSchema.shape.token
      .optional()
      .describe("The token of a sign-in of the user; the account's settings may require it"),
    use: passkeyUseSchema
      .default('first_factor')
      .describe('The purpose of the passkey: a second factor may be a key without a PIN'),
  })
  .meta({ id: 'BeginPasskey' })
export type BeginEnrolmentInput = z.input<typeof beginEnrolmentSchema>

/** The data that a page needs to create a passkey. */
export interface BegunEnrolment {
  /** Identifies this ceremony: single-use, valid for five minutes */
  challenge: string
  /** For `navigator.credentials.create` */
  options: PasskeyCreationOptions
  /** Seconds */
  expiresIn: number
}

/** A second factor needs no discoverable credential and no PIN. */
const selectionOf = {
  first_factor: { residentKey: 'preferred', userVerification: 'required' },
  second_factor: { residentKey: 'discouraged', userVerification: 'discouraged' },
} as const satisfies Record<PasskeyUse, object>

/**
 * Begins to enrol a passkey.
 *
 * @throws ClienteleError `user_not_found`, `passkeys_not_configured`, `passkey_limit_reached`, `token_missing`, the other
 *   `token_*` codes, `impersonation_refused`, `rate_limited`
 */
export async function beginEnrolment(
  services: PasskeysServices,
  call: Call,
  userId: string,
  { token, use }: z.output<typeof beginEnrolmentSchema>,
): Promise<BegunEnrolment> {
  const { user } = await findUser(services, call, userId)
  const { rpId, rpName, requireToken } = await findPasskeySettings(services, call)
  if (token === undefined && requireToken) throw new ClienteleError('token_missing')
  const sessionId = token === undefined ? null : await readOwnSession(services, call, userId, token)
  const enrolled = await services.repository.passkeys.list(call.accountId, userId)
  if (enrolled.length >= maxPasskeys) throw new ClienteleError('passkey_limit_reached')
  // Here, too: the browser would make a passkey in vain.
  const taken = { accountId: call.accountId, target: toTakenPasskeysTarget(userId) }
  await services.loginThrottle.check('login', taken)
  const { generateRegistrationOptions, isoBase64URL } = await loadWebAuthn()
  const ceremony = { userId, email: undefined, isByUser: token !== undefined, sessionId }
  const challenge = await beginCeremony(services, call, { purpose: 'enrol', ...ceremony })
  if (challenge === undefined) throw new ClienteleError('user_not_found')
  const options = await generateRegistrationOptions({
    rpID: rpId,
    rpName,
    userID: isoBase64URL.toBuffer(toUserHandle(userId)),
    userName: user.email,
    userDisplayName: user.name,
    challenge: isoBase64URL.toBuffer(toWebAuthnChallenge(challenge)),
    timeout: ceremonySeconds * 1000,
    attestationType: 'none',
    excludeCredentials: enrolled
      .filter((passkey) => passkey.rpId === rpId)
      .map(({ credentialId: id, transports }) => ({ id, transports })),
    authenticatorSelection: { ...selectionOf[use] },
    supportedAlgorithmIDs: passkeyAlgorithms,
  })
  return {
    challenge,
    options: options as PasskeyCreationOptions, // every optional member was given
    expiresIn: ceremonySeconds,
  }
}

/**
 * The session of a user's token. A token that a program has (`cut_…`, or a JWT for one) shows no sign-in here, nor does one of
 * another issuer, so it enrols nothing.
 *
 * @throws ClienteleError `token_claims_invalid` for another user's token, a program's, or another issuer's; the other
 *   `token_*` codes; `impersonation_refused`
 */
async function readOwnSession(
  services: PasskeysServices,
  call: Call,
  userId: string,
  token: string,
): Promise<string> {
  const checked = await validateToken(services, call, token.replace(/^bearer +/i, ''))
  if (checked.user.id !== userId) throw new ClienteleError('token_claims_invalid')
  if (isImpersonated(checked.claims)) throw new ClienteleError('impersonation_refused')
  if (checked.trustedIssuerId !== null || checked.userToken !== undefined)
    throw new ClienteleError(
      'token_claims_invalid',
      'Send the token of a sign-in of the user here.',
    )
  return checked.claims.sid
}

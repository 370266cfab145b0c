import { z } from 'zod'
import type { Call } from '../../base/call/call.ts'
import { ClienteleError } from '../../base/errors.ts'
import { givenEmailSchema } from '../../user-model/email-address.ts'
import { beginCeremony, toWebAuthnChallenge } from './ceremony.ts'
import { ceremonySeconds } from './ceremony-life.ts'
import { makeDecoys } from './decoys.ts'
import { findSignInSettings } from './find-settings.ts'
import { loadWebAuthn } from './load-webauthn.ts'
import type { PasskeysServices } from './services.ts'
import type { PasskeyRequestOptions } from './webauthn-options.ts'

export const beginLogInSchema = z
  .strictObject({
    email: givenEmailSchema
      .optional()
      .describe(
        'The user whose passkeys to ask for; without it the user chooses one that the device knows',
      ),
  })
  .meta({ id: 'BeginPasskeyLogIn' })

/** The data that a page needs to use a passkey. */
export interface BegunLogIn {
  /** Identifies this ceremony: single-use, valid for five minutes */
  challenge: string
  /** For `navigator.credentials.get` */
  options: PasskeyRequestOptions
  /** Seconds */
  expiresIn: number
}

/**
 * Begins a sign-in with a passkey. The result does not reveal whether a user has the e-mail.
 *
 * @throws ClienteleError `sign_in_method_disabled`, `passkeys_not_configured`; `account_not_found` when it was deleted just now
 */
export async function beginLogIn(
  services: PasskeysServices,
  call: Call,
  { email }: z.output<typeof beginLogInSchema>,
): Promise<BegunLogIn> {
  const { settings } = await findSignInSettings(services, call)
  const { rpId } = settings
  const credentials = email === undefined ? undefined : await listAsked(services, call, email, rpId)
  const challenge = await beginCeremony(services, call, {
    purpose: email === undefined ? 'log_in' : 'log_in_as',
    email,
    // Also where a user has the e-mail: what becomes of the challenge must not depend on that.
    userId: null,
    isByUser: false,
    sessionId: null,
  })
  // The account was deleted just now.
  if (challenge === undefined) throw new ClienteleError('account_not_found')
  const options = await createRequestOptions({
    rpId,
    challenge: toWebAuthnChallenge(challenge),
    credentials,
    userVerification: 'required',
    seconds: ceremonySeconds,
  })
  return { challenge, options, expiresIn: ceremonySeconds }
}

/** The passkeys of the user with an e-mail, or made-up ones. */
async function listAsked(
  services: PasskeysServices,
  call: Call,
  email: string,
  rpId: string,
): Promise<Credential[]> {
  const { repository, storedSecrets } = services
  await storedSecrets.ensureChecked()
  const decoys = makeDecoys(services, call, email, rpId)
  const known = await repository.passkeys.listByEmail(call.accountId, email, rpId)
  const ids = known.length > 0 ? known : decoys
  // Transports, which are only a hint, are left out: decoys could not imitate them.
  return ids.map((credentialId) => ({ credentialId }))
}

interface Credential {
  credentialId: string
  /** Without them the browser offers every passkey of the site */
  transports?: string[]
}

/** Creates the argument of `navigator.credentials.get`. */
export async function createRequestOptions({
  rpId,
  challenge,
  credentials,
  userVerification,
  seconds,
}: {
  rpId: string
  challenge: string
  credentials: readonly Credential[] | undefined
  userVerification: 'required' | 'discouraged'
  seconds: number
}): Promise<PasskeyRequestOptions> {
  const { generateAuthenticationOptions, isoBase64URL } = await loadWebAuthn()
  const options = await generateAuthenticationOptions({
    rpID: rpId,
    challenge: isoBase64URL.toBuffer(challenge),
    timeout: seconds * 1000,
    userVerification,
    ...(credentials !== undefined && {
      allowCredentials: credentials.map(({ credentialId: id, transports }) => ({
        id,
        ...(transports !== undefined && { transports }),
      })),
    }),
  })
  const { allowCredentials, ...others } = options
  const given = allowCredentials === undefined ? others : { ...others, allowCredentials }
  return given as PasskeyRequestOptions // every optional member was given
}

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
import type { Ceremony } from './store.ts'
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
 * @throws ClienteleError `sign_in_method_disabled`, `passkeys_not_configured`
 */
export async function beginLogIn(
  services: PasskeysServices,
  call: Call,
  { email }: z.output<typeof beginLogInSchema>,
): Promise<BegunLogIn> {
  const { settings } = await findSignInSettings(services, call)
  const { rpId } = settings
  const { ceremony, credentials } =
    email === undefined
      ? { ceremony: ofAnybody, credentials: undefined }
      : await findAsked(services, call, email, rpId)
  const challenge =
    (await beginCeremony(services, call, ceremony)) ??
    // The user was deleted just now: continue as for an unknown e-mail.
    (await beginCeremony(services, call, { ...ceremony, userId: null }))
  // Cannot happen: without a user, a ceremony depends on no other row.
  if (challenge === undefined) throw new ClienteleError('internal_error')
  const options = await createRequestOptions({
    rpId,
    challenge: toWebAuthnChallenge(challenge),
    credentials,
    userVerification: 'required',
    seconds: ceremonySeconds,
  })
  return { challenge, options, expiresIn: ceremonySeconds }
}

const ofAnybody: Ceremony = {
  purpose: 'log_in',
  userId: null,
  encryptedEmail: null,
  isByUser: false,
  sessionId: null,
}

async function findAsked(
  services: PasskeysServices,
  call: Call,
  email: string,
  rpId: string,
): Promise<{ ceremony: Ceremony; credentials: Credential[] }> {
  const { repository, encryptor, storedSecrets } = services
  await storedSecrets.ensureChecked()
  const decoys = makeDecoys(services, call, email, rpId)
  const found = await repository.passkeys.listByEmail(call.accountId, email, rpId)
  const ceremony: Ceremony = {
    purpose: 'log_in_as',
    userId: found?.userId ?? null,
    encryptedEmail: encryptor.encrypt(email, toEmailPurpose(call.accountId)),
    isByUser: false,
    sessionId: null,
  }
  const known = found?.credentialIds ?? []
  const ids = known.length > 0 ? known : decoys
  // Transports, which are only a hint, are left out: decoys could not imitate them.
  return { ceremony, credentials: ids.map((credentialId) => ({ credentialId })) }
}

/** The purpose that the e-mail of a ceremony is encrypted for. */
export function toEmailPurpose(accountId: string): string {
  return `passkey ceremony ${accountId}`
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

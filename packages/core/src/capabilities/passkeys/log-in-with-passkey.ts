import { z } from 'zod'
import type { Call } from '../../base/call/call.ts'
import { ClienteleError } from '../../base/errors.ts'
import { givenOpaqueTokenSchema } from '../../base/input/opaque-tokens.ts'
import type { StoredPolicy } from '../accounts/account-policy.ts'
import type { PasskeySettings } from '../accounts/passkey-settings.ts'
import { appendTypedEmail } from '../events/append-typed-email.ts'
import { newEvent } from '../events/new-event.ts'
import type { Attempt } from '../rate-limits/login-throttle.ts'
import { toPasskeyIdTarget, toPasskeyTarget } from '../rate-limits/passkey-target.ts'
import { toUnknownEmailTarget } from '../rate-limits/unknown-email-target.ts'
import { openSession, type SignedIn } from '../sessions/open-session.ts'
import { type CeremonyWithEmail, endCeremony, toWebAuthnChallenge } from './ceremony.ts'
import { makeDecoyPasskey } from './decoys.ts'
import { findSignInSettings } from './find-settings.ts'
import type { PasskeysServices } from './services.ts'
import type { PasskeyHolder, PasskeyRecord } from './store.ts'
import { verifyUse } from './verify-response.ts'
import { authenticationResponseSchema } from './webauthn-responses.ts'

export const passkeyLogInSchema = z
  .strictObject({ challenge: givenOpaqueTokenSchema, response: authenticationResponseSchema })
  .meta({ id: 'PasskeyLogIn' })
export type PasskeyLogInInput = z.input<typeof passkeyLogInSchema>

/**
 * Signs a user in with a passkey. The authenticator has verified the user by a finger, a face or a PIN: no second
 * factor is required.
 *
 * @throws ClienteleError `sign_in_method_disabled`, `passkeys_not_configured`, `challenge_invalid`, `rate_limited`;
 *   `passkey_invalid` for every other reason
 */
export async function logInWithPasskey(
  services: PasskeysServices,
  call: Call,
  { challenge, response }: z.output<typeof passkeyLogInSchema>,
): Promise<SignedIn> {
  const { repository, loginThrottle } = services
  const account = await findSignInSettings(services, call)
  const ceremony = await endCeremony(services, call, challenge, ['log_in_as', 'log_in'])
  const holder = await repository.passkeys.findByCredential(call.accountId, response.id)
  const asked = await findAsked(services, call, ceremony)
  try {
    // However many have failed: a signature cannot be guessed, and a stranger's failures must not lock the user out.
    return await signIn(services, call, account, asked, holder, { challenge, response })
  } catch (error) {
    if (!isRefusal(error)) throw error
    await loginThrottle.take('login', attemptOf(call, asked, response.id))
    await tellFailure(services, call, asked, holder)
    throw new ClienteleError('passkey_invalid', undefined, { cause: error })
  }
}

async function signIn(
  services: PasskeysServices,
  call: Call,
  { settings, policy }: { settings: PasskeySettings; policy: StoredPolicy },
  asked: Asked,
  holder: PasskeyHolder | undefined,
  { challenge, response }: z.output<typeof passkeyLogInSchema>,
): Promise<SignedIn> {
  const known = holder?.passkey ?? makeDecoyPasskey(response.id, settings.rpId)
  const used = await verifyUse(services, call, response, known, {
    settings,
    challenge: toWebAuthnChallenge(challenge),
    requireUserVerification: true,
  })
  const isAsked = asked.email === undefined || holder?.user.id === asked.userId
  if (holder === undefined || !isAsked || holder.passkey.use !== 'first_factor') {
    throw new ClienteleError('passkey_invalid')
  }
  const { passkey, user, passwordHash, tokensNotBefore } = holder
  if (!user.isActive) throw new ClienteleError('passkey_invalid')
  await noteUse(services, call, passkey, used)
  const amr = [keyMethodOf(passkey), 'user']
  const shown = { passkeyId: passkey.id }
  return openSession(services, call, user, amr, { passwordHash, tokensNotBefore, shown, policy })
}

/**
 * Records a verified use.
 *
 * @throws ClienteleError `passkey_invalid` when the passkey was removed, or another use had the same counter
 */
export async function noteUse(
  { repository, clock }: PasskeysServices,
  { accountId }: Call,
  passkey: PasskeyRecord,
  { counter, backedUp }: { counter: number; backedUp: boolean },
): Promise<void> {
  const use = { counter, backedUp, at: clock() }
  if (!(await repository.passkeys.noteUse(accountId, passkey.id, use))) {
    throw new ClienteleError('passkey_invalid')
  }
}

/** Whether the key is bound to one device or synchronised between devices (RFC 8176). */
export function keyMethodOf({ isSynced }: PasskeyRecord): 'hwk' | 'swk' {
  return isSynced ? 'swk' : 'hwk'
}

/** Whom a sign-in began for */
interface Asked {
  /** As it was typed; undefined: whoever has the passkey */
  email: string | undefined
  /** Undefined: nobody has the e-mail */
  userId: string | undefined
}

async function findAsked(
  { repository }: PasskeysServices,
  { accountId }: Call,
  { email }: CeremonyWithEmail,
): Promise<Asked> {
  if (email === undefined) return { email, userId: undefined }
  const found = await repository.users.findCredentials(accountId, email)
  return { email, userId: found?.user.id }
}

/**
 * Separate from failed passwords: an attacker who knows an e-mail must not lock its user out of other sign-ins. Unknown
 * e-mails and ids count in the same way as known ones.
 */
function attemptOf(
  { accountId, clientAddress }: Call,
  { userId, email }: Asked,
  credentialId: string,
): Attempt {
  const target =
    email === undefined
      ? toPasskeyIdTarget(credentialId)
      : toPasskeyTarget(userId ?? toUnknownEmailTarget(email))
  return { accountId, target, clientAddress }
}

/** `credentials_invalid`: the user was deleted or deactivated, or has a new password. */
function isRefusal(error: unknown): boolean {
  const codes: readonly string[] = ['passkey_invalid', 'credentials_invalid']
  return error instanceof ClienteleError && codes.includes(error.code)
}

/** Also if the attempt is about no known user: the duration must not reveal that. */
async function tellFailure(
  services: PasskeysServices,
  call: Call,
  asked: Asked,
  holder: PasskeyHolder | undefined,
): Promise<void> {
  const email = asked.email ?? holder?.user.email ?? ''
  const userId = (asked.email === undefined ? holder?.user.id : asked.userId) ?? null
  const event = newEvent(
    services,
    call,
    'user.login_failed',
    userId,
    { reason: undefined },
    { email },
  )
  await appendTypedEmail(services, event)
}

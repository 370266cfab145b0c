import { z } from 'zod'
import type { Call } from '../../base/call/call.ts'
import { ClienteleError } from '../../base/errors.ts'
import { wireObject } from '../../base/input/wire-names.ts'
import { givenEmailSchema } from '../../user-model/email-address.ts'
import type { StoredUser } from '../../user-model/stored-user.ts'
import { readPolicy } from '../accounts/account-policy.ts'
import { assertMethodAllowed, assertSignInAllowed, deviceAmr } from '../accounts/assert-sign-in.ts'
import { type DeviceToken, givenDeviceTokenSchema } from '../devices/device.ts'
import { useDevice } from '../devices/use-device.ts'
import { appendTypedEmail } from '../events/append-typed-email.ts'
import { newEvent } from '../events/new-event.ts'
import { isEnrolled } from '../mfa/challenge-user.ts'
import { mustChangePassword } from '../passwords/expired-hash.ts'
import { givenPasswordSchema } from '../passwords/password-policy.ts'
import { toUnknownEmailTarget } from '../rate-limits/unknown-email-target.ts'
import { type ComparedCredentials, openSession } from '../sessions/open-session.ts'
import type { ShownDevice } from '../sessions/store.ts'
import type { Credentials } from '../users/store.ts'
import { proceed, type SignInResult } from './proceed.ts'
import type { SignInServices } from './services.ts'

const shape = {
  email: givenEmailSchema,
  password: givenPasswordSchema,
  deviceToken: givenDeviceTokenSchema.optional(),
}
export const logInSchema = z.strictObject(shape)
export const logInWireSchema = wireObject(shape, { id: 'LogIn' })

/** How often a sign-in starts over because the user was changed meanwhile. */
const maxTries = 3

/**
 * Signs a user in with e-mail and password, or challenges the user for an MFA factor. A remembered device stands for it.
 *
 * @throws ClienteleError `credentials_invalid` for every reason, after the same time; `rate_limited`, `overloaded`;
 *   `sign_in_method_disabled` whatever the input is; `email_not_verified` for a right password
 */
export async function logIn(
  services: SignInServices,
  call: Call,
  input: z.output<typeof logInSchema>,
): Promise<SignInResult> {
  let changed: Changed = { changedUserId: null }
  for (let tries = 1; tries <= maxTries; tries++) {
    const outcome = await tryCredentials(services, call, input, changed)
    if (!('changedUserId' in outcome)) return outcome
    changed = outcome
  }
  await tellFailure(services, call, input.email, changed.changedUserId)
  throw new ClienteleError('credentials_invalid')
}

/** The user whom an earlier try has found; null: none */
interface Changed {
  changedUserId: string | null
}

/** Returns the user's id if the user was changed after the password was compared: it may be another by now. */
async function tryCredentials(
  services: SignInServices,
  call: Call,
  { email, password, deviceToken }: z.output<typeof logInSchema>,
  { changedUserId }: Changed,
): Promise<SignInResult | Changed> {
  const { repository, passwords, loginThrottle } = services
  const { accountId, clientAddress } = call
  passwords.assertRoom(accountId)
  const read = await repository.signIn.findByEmail(accountId, email)
  const { policy, found } = read ?? { policy: readPolicy(null), found: undefined }
  assertMethodAllowed(policy.rules, 'password')
  // Counted per user, not per address: the next owner of the address starts at zero.
  // Of a user who is gone since the last try, no address may be kept.
  const userId = found?.user.id ?? changedUserId
  const target = userId ?? toUnknownEmailTarget(email)
  const attempt = { accountId, target, clientAddress }
  await loginThrottle.check('login', attempt)
  const stored = found?.passwordHash ?? null
  const matches = await passwords.verify(accountId, stored, password, found?.user.id)
  if (found === undefined || !matches || !found.user.isActive) {
    await Promise.all([
      loginThrottle.fail('login', attempt),
      tellFailure(services, call, email, userId),
    ])
    throw new ClienteleError('credentials_invalid')
  }
  // Checked again because of concurrent failures: simultaneous attempts must not get more tries than successive ones.
  const [hasFailures, factor] = await Promise.all([
    loginThrottle.check('login', attempt),
    repository.mfa.find(accountId, found.user.id),
  ])
  const { user, tokensNotBefore, isEmailVerified } = found
  const amr = ['pwd']
  try {
    assertSignInAllowed(policy.rules, amr, isEmailVerified)
    const passwordHash = await rehashIfNeeded(services, call, found, password)
    // The hashes may have waited for their turn.
    await call.stayAdmitted?.()
    const compared = { passwordHash, tokensNotBefore, policy, isEmailVerified }
    const onDevice = [...amr, deviceAmr]
    // Another password ends the device: where one is needed, it stands for nothing, and its token is not used up.
    const isExpired = mustChangePassword(onDevice, passwordHash)
    const used =
      deviceToken !== undefined && isEnrolled(factor) && !isExpired
        ? await useDevice(services, call, user.id, deviceToken, policy.rules)
        : undefined
    const signedIn =
      used === undefined
        ? await proceed(services, call, user, factor, amr, compared)
        : await openOnDevice(services, call, user, onDevice, compared, used)
    if (hasFailures) await loginThrottle.succeed('login', attempt)
    return signedIn
  } catch (error) {
    const code = error instanceof ClienteleError ? error.code : undefined
    if (code === 'credentials_invalid') return { changedUserId: user.id }
    if (code === 'email_not_verified') await tellFailure(services, call, email, user.id)
    throw error
  }
}

async function openOnDevice(
  services: SignInServices,
  call: Call,
  user: StoredUser,
  amr: string[],
  compared: ComparedCredentials,
  { shown, next }: { shown: ShownDevice; next: DeviceToken },
): Promise<SignInResult> {
  const opened = await openSession(services, call, user, amr, { ...compared, shown })
  return { ...opened, ...next }
}

async function tellFailure(
  services: SignInServices,
  call: Call,
  email: string,
  userId: string | null,
): Promise<void> {
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

/** Rehashes the password with today's parameters if its hash has others or was imported; returns the stored hash. */
async function rehashIfNeeded(
  { repository, passwords, logger }: SignInServices,
  { accountId, requestId }: Call,
  { user, passwordHash }: Credentials,
  password: string,
): Promise<string | null> {
  if (passwordHash === null || !passwords.needsRehash(passwordHash, password)) return passwordHash
  try {
    const newHash = await passwords.hash(accountId, password)
    if (await repository.users.rehashPassword(accountId, user.id, passwordHash, newHash))
      return newHash
    // Another sign-in has done so just now, or the password has changed.
    const now = await repository.users.findCredentials(accountId, user.email)
    const isSame =
      now?.user.id === user.id && (await passwords.verify(accountId, now.passwordHash, password))
    return isSame ? now.passwordHash : passwordHash
  } catch (error) {
    logger.warn(
      { error, accountId, userId: user.id, requestId },
      'A password could not be stored under new parameters; the next sign-in tries again.',
    )
    return passwordHash
  }
}

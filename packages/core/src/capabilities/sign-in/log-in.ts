import { z } from 'zod'
import type { Call } from '../../base/call/call.ts'
import { ClienteleError } from '../../base/errors.ts'
import { givenEmailSchema } from '../../user-model/email-address.ts'
import { appendTypedEmail } from '../events/append-typed-email.ts'
import { newEvent } from '../events/new-event.ts'
import { challengeUser, isEnrolled, type MfaRequired } from '../mfa/challenge-user.ts'
import { givenPasswordSchema } from '../passwords/password-policy.ts'
import { openSession, type SignedIn } from '../sessions/open-session.ts'
import type { Credentials } from '../users/store.ts'
import type { SignInServices } from './services.ts'

export const logInSchema = z
  .strictObject({
    email: givenEmailSchema,
    password: givenPasswordSchema,
  })
  .meta({ id: 'LogIn' })

/**
 * Signs a user in with e-mail and password, or challenges the user for an MFA factor.
 *
 * @throws ClienteleError `credentials_invalid` for every reason, after the same time; `rate_limited`, `overloaded`
 */
export async function logIn(
  services: SignInServices,
  call: Call,
  { email, password }: z.output<typeof logInSchema>,
): Promise<SignedIn | MfaRequired> {
  const { repository, passwords, loginThrottle } = services
  const { accountId, clientAddress } = call
  passwords.assertRoom(accountId)
  const found = await repository.users.findCredentials(accountId, email)
  // Counted per user, not per address: the next owner of the address starts at zero.
  const attempt = { accountId, target: found?.user.id ?? email, clientAddress }
  await loginThrottle.check('login', attempt)
  const stored = found?.passwordHash ?? null
  const matches = await passwords.verify(accountId, stored, password, found?.user.id)
  if (found === undefined || !matches || !found.user.isActive) {
    const event = newEvent(
      services,
      call,
      'user.login_failed',
      found?.user.id ?? null,
      {},
      { email },
    )
    await Promise.all([loginThrottle.fail('login', attempt), appendTypedEmail(services, event)])
    throw new ClienteleError('credentials_invalid')
  }
  // Checked again because of concurrent failures: simultaneous attempts must not get more tries than successive ones.
  const [hasFailures, factor] = await Promise.all([
    loginThrottle.check('login', attempt),
    repository.mfa.find(accountId, found.user.id),
  ])
  const passwordHash = await rehashIfNeeded(services, call, found, password)
  const { user } = found
  const amr = ['pwd']
  const signedIn = isEnrolled(factor)
    ? await challengeUser(services, call, user, factor, amr, passwordHash)
    : await openSession(services, call, user, amr, { passwordHash })
  if (hasFailures) await loginThrottle.succeed('login', attempt)
  return signedIn
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

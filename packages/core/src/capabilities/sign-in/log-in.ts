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
 * Signs a user in with e-mail and password, or asks for the MFA factor if one is enrolled.
 *
 * @throws ClienteleError `credentials_invalid` for every reason, in the same time; `rate_limited`, `overloaded`
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
  // Counted by the user, not by the address: whoever has it next begins anew.
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
  // Again, for what failed meanwhile: of many attempts at once no more pass than of as many in turn.
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

/**
 * Stores the password under today's parameters, if its hash was made with others or imported, and answers with the hash
 * that is stored then.
 */
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
    // Another sign-in at the same moment was first, or the password has changed.
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

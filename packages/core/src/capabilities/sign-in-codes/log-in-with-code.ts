import { z } from 'zod'
import { byUser, type Call } from '../../base/call/call.ts'
import { hashOpaqueToken } from '../../base/crypto/opaque-token.ts'
import { ClienteleError } from '../../base/errors.ts'
import { codePoints } from '../../base/input/input.ts'
import { givenOpaqueTokenSchema } from '../../base/input/opaque-tokens.ts'
import { assertMethodAllowed } from '../accounts/assert-sign-in.ts'
import { appendTypedEmail } from '../events/append-typed-email.ts'
import { newEvent } from '../events/new-event.ts'
import { isMailCode } from '../mfa/one-time-codes.ts'
import {
  toSignInCodeRequestTarget,
  toSignInCodeTarget,
} from '../rate-limits/sign-in-code-target.ts'
import { proceed, type SignInResult } from '../sign-in/proceed.ts'
import { createFirstProofEvents } from '../users/first-proof-events.ts'
import type { SignInCodesServices } from './services.ts'
import type { CodeUser, TriedCode } from './store.ts'

export const codeLogInSchema = z
  .strictObject({
    challenge: givenOpaqueTokenSchema,
    code: codePoints(z.string(), 1, 200)
      .meta({ examples: ['40718265'] })
      .describe('What was mailed: the code, or the token of the link'),
  })
  .meta({ id: 'CodeLogIn' })
export type CodeLogInInput = z.input<typeof codeLogInSchema>

/**
 * Signs a user in with a mailed code, or the token that was mailed with it. It proves the address. Each try uses up one of
 * the challenge's five.
 *
 * @throws ClienteleError `sign_in_method_disabled`, `challenge_invalid`, `sign_in_code_invalid`, `rate_limited`
 */
export async function logInWithCode(
  services: SignInCodesServices,
  call: Call,
  { challenge, code }: z.output<typeof codeLogInSchema>,
): Promise<SignInResult> {
  const { repository, loginThrottle, clock, newId } = services
  const { accountId, clientAddress } = call
  const hash = hashOpaqueToken(challenge)
  const read = await repository.signInCodes.find(accountId, hash, clock())
  if (read === undefined) throw new ClienteleError('challenge_invalid')
  const { policy, found } = read
  assertMethodAllowed(policy.rules, 'email_code')
  if (found === undefined) throw new ClienteleError('challenge_invalid')
  // Separate from failed passwords: who knows an e-mail must not lock its user out of other ways to sign in. Counted per
  // address, whether a user has it or not.
  const attempt = { accountId, target: toSignInCodeTarget(found.email), clientAddress }
  await loginThrottle.take('login', attempt)
  const tried = await repository.signInCodes.takeTry(accountId, hash, clock())
  if (tried === undefined) throw new ClienteleError('challenge_invalid')
  const { email, userId } = tried
  // Without a user nothing was mailed: not even a lucky guess signs in.
  if (!isRight(services, tried, challenge, code) || userId === null) {
    const event = newEvent(
      services,
      call,
      'user.login_failed',
      userId,
      { reason: undefined },
      { email },
    )
    await appendTypedEmail(services, event)
    throw new ClienteleError('sign_in_code_invalid')
  }
  const sessionId = newId()
  const named = { hash, userId, email }
  const used = await useCode(services, call, named, sessionId)
  await loginThrottle.giveBack('login', attempt)
  // Who reads the mailbox is not locked out by requests of others.
  const target = toSignInCodeRequestTarget(email)
  await loginThrottle.succeed('reset', { accountId, target, clientAddress })
  const { user, passwordHash, tokensNotBefore } = used
  const factor = await repository.mfa.find(accountId, userId)
  try {
    const compared = { passwordHash, tokensNotBefore, policy, isEmailVerified: true }
    return await proceed(services, call, user, factor, ['otp'], compared, sessionId)
  } catch (error) {
    // The user was deleted or deactivated meanwhile, or has a new password, which ends codes.
    const isGone = error instanceof ClienteleError && error.code === 'credentials_invalid'
    throw isGone ? new ClienteleError('challenge_invalid') : error
  }
}

function isRight(
  { encryptor }: SignInCodesServices,
  { codeHash, tokenHash }: TriedCode,
  challenge: string,
  code: string,
): boolean {
  const [isCode, isToken] = [codeHash, tokenHash].map((digest) =>
    isMailCode(encryptor, digest, challenge, code),
  )
  return isCode === true || isToken === true
}

/** @throws ClienteleError `challenge_invalid` */
async function useCode(
  services: SignInCodesServices,
  call: Call,
  code: { hash: string; userId: string; email: string },
  sessionId: string,
): Promise<CodeUser> {
  const { repository, events, clock } = services
  const used = await repository.signInCodes.use(call.accountId, code, clock(), {
    ...createFirstProofEvents(services, call),
    verified: (user) => {
      const data = { revokedCredentials: true, keptSessionId: sessionId }
      const ofUser = byUser(call, user.id)
      return newEvent(services, ofUser, 'user.email_verified', user.id, data, { user })
    },
  })
  if (used === undefined) throw new ClienteleError('challenge_invalid')
  for (const event of used.told) events.emit(event)
  return used
}

import { z } from 'zod'
import { byUser, type Call } from '../../base/call/call.ts'
import { hashOpaqueToken } from '../../base/crypto/opaque-token.ts'
import { ClienteleError } from '../../base/errors.ts'
import { codePoints } from '../../base/input/input.ts'
import { givenRefreshTokenSchema } from '../../base/input/opaque-tokens.ts'
import { wireObject } from '../../base/input/wire-names.ts'
import type { StoredUser } from '../../user-model/stored-user.ts'
import { assertMethodAllowed } from '../accounts/assert-sign-in.ts'
import { appendEvent } from '../events/append-event.ts'
import { newEvent } from '../events/new-event.ts'
import { isEnrolled } from '../mfa/challenge-user.ts'
import { amrOfMethod } from '../mfa/complete-mfa.ts'
import { hashRecoveryCode } from '../mfa/one-time-codes.ts'
import type { MfaFactors } from '../mfa/store.ts'
import { useTotpCode } from '../mfa/totp-factor.ts'
import { mustChangePassword } from '../passwords/expired-hash.ts'
import { givenPasswordSchema } from '../passwords/password-policy.ts'
import type { Attempt } from '../rate-limits/login-throttle.ts'
import { toReauthenticationTarget } from '../rate-limits/reauthentication-target.ts'
import type { SignedIn } from '../sessions/open-session.ts'
import {
  askedVersionOf,
  assertLatest,
  type ContinuedSession,
  claimsOf,
  continueSession,
  findContinued,
  rotationOf,
} from '../sessions/refresh-session.ts'
import { askUntilUnchanged } from '../users/ask-until-unchanged.ts'
import type { SignInServices } from './services.ts'

const methods = ['totp', 'recovery_code'] as const
type Method = (typeof methods)[number]

const shape = {
  refreshToken: givenRefreshTokenSchema,
  password: givenPasswordSchema.optional(),
  method: z.enum(methods).optional().describe('With `code`, in place of a password'),
  code: codePoints(z.string(), 1, 64)
    .meta({ examples: ['287082'] })
    .optional(),
}
/** A password, or a method with its code. Runs even if there are other issues. */
const oneProof = z.refine<unknown>(
  (input) => {
    const { password, method, code } = Object(input)
    const hasCode = method !== undefined && code !== undefined
    const hasPart = method !== undefined || code !== undefined
    return password === undefined ? hasCode : !hasPart
  },
  {
    params: { code: 'value' },
    message: 'must have either password, or method and code',
    when: () => true,
  },
)
export const reauthenticateSchema = z.strictObject(shape).check(oneProof)
export const reauthenticateWireSchema = wireObject(shape, { id: 'Reauthenticate' }, oneProof)

/** A refresh token, and what the user shows now. */
export type ReauthenticateInput = { refreshToken: string } & (
  | { password: string }
  | { method: Method; code: string }
)

/**
 * Continues a session after its user has shown a password or a second factor again. The refresh token must be the
 * latest one. It is used up only if the proof is right.
 *
 * @throws ClienteleError `refresh_token_invalid`; `sign_in_method_disabled`; `credentials_invalid` for a wrong password, and
 *   for one that has expired; `two_factor_code_invalid` for a wrong code; `rate_limited`, `overloaded`
 */
export async function reauthenticate(
  services: SignInServices,
  call: Call,
  { refreshToken, ...given }: z.output<typeof reauthenticateSchema>,
): Promise<SignedIn> {
  let found = await findContinued(services, call, refreshToken)
  // Before the proof: an old token must not try passwords.
  await assertLatest(services, call, found)
  const { policy, user } = found.state
  if (given.password !== undefined) assertMethodAllowed(policy.rules, 'password')
  const proof = await prove(services, call, user.user, given)
  await call.stayAdmitted?.()
  return askUntilUnchanged(async () => {
    const continued = await tryToContinue(services, call, found, proof)
    if (continued !== undefined) return continued
    const version = askedVersionOf(services, found)
    found = await findContinued(services, call, refreshToken)
    const isAnswered = version === undefined || found.state.user.version === version
    if (isAnswered) throw explainEnd(found, proof)
    return undefined
  })
}

/** Returns undefined if the session, what was shown, or the user has changed since. */
async function tryToContinue(
  services: SignInServices,
  call: Call,
  found: ContinuedSession,
  { proved, passwordHash, factors }: Proof,
): Promise<SignedIn | undefined> {
  const { repository, events } = services
  const { accountId } = call
  const { token, state, text } = found
  const { user } = state.user
  const amr = [...new Set([...state.amr, ...proved])]
  const { ownerId: sessionId } = token
  const ofUser = byUser(call, user.id)
  const claims = await claimsOf(services, ofUser, found, amr)
  const rotation = rotationOf(services, found)
  const data = { sessionId, amr }
  const event = newEvent(services, ofUser, 'user.reauthenticated', user.id, data, { user })
  const version = askedVersionOf(services, found)
  const shown = { userId: user.id, amr, passwordHash, factors, version, event }
  const hash = hashOpaqueToken(text)
  const isContinued = await repository.sessions.reauthenticate(
    accountId,
    sessionId,
    hash,
    rotation,
    shown,
  )
  if (!isContinued) return undefined
  events.emit(event)
  const authenticatedAt = rotation.usedAt
  return continueSession(
    services,
    call,
    found,
    rotation.expiresAt,
    { amr, authenticatedAt },
    claims,
  )
}

/** Another request has used the token, or the user has another password or other second factors now. */
function explainEnd({ token, state }: ContinuedSession, { factors }: Proof): ClienteleError {
  if (token.position !== state.refreshes) return new ClienteleError('refresh_token_invalid')
  return new ClienteleError(
    factors === undefined ? 'credentials_invalid' : 'two_factor_code_invalid',
  )
}

interface Proof {
  /** Methods (RFC 8176) */
  proved: string[]
  /** What the password was compared with; null: another proof */
  passwordHash: string | null
  /** The user's factors as a code was compared with them; undefined: a password was shown */
  factors: MfaFactors | undefined
}

/**
 * Checks what was shown. A failure counts as that of a sign-in, too; but failed sign-ins refuse nothing here: a stranger who
 * knows an e-mail must not keep its user, who is signed in, from what asks for a password again.
 */
async function prove(
  services: SignInServices,
  call: Call,
  user: StoredUser,
  { password, method, code = '' }: Omit<z.output<typeof reauthenticateSchema>, 'refreshToken'>,
): Promise<Proof> {
  const { loginThrottle } = services
  const { accountId, clientAddress } = call
  const kind = method === undefined ? 'login' : 'two_factor'
  const attempt = { accountId, target: toReauthenticationTarget(user.id) }
  const signIn = { accountId, target: user.id, clientAddress }
  if (method === undefined) services.passwords.assertRoom(accountId)
  await loginThrottle.take(kind, attempt)
  const compared =
    method === undefined
      ? provePassword(services, accountId, user, password ?? '')
      : proveCode(services, accountId, user.id, method, code)
  const proof = await compared.catch(async (error: unknown) => {
    // It was not compared: that is no failure.
    await loginThrottle.undo(kind, attempt)
    throw error
  })
  if (proof !== undefined) {
    await Promise.all([loginThrottle.giveBack(kind, attempt), loginThrottle.succeed(kind, signIn)])
    return proof
  }
  await countAsSignIn(services, kind, signIn)
  const { email } = user
  const event = newEvent(
    services,
    call,
    'user.login_failed',
    user.id,
    { reason: undefined },
    { email },
  )
  await appendEvent(services, event)
  throw new ClienteleError(method === undefined ? 'credentials_invalid' : 'two_factor_code_invalid')
}

async function countAsSignIn(
  { loginThrottle }: SignInServices,
  kind: 'login' | 'two_factor',
  attempt: Attempt,
): Promise<void> {
  try {
    await loginThrottle.fail(kind, attempt)
  } catch (error) {
    // The limit of sign-ins is reached: that is no answer to this request.
    if (!(error instanceof ClienteleError) || error.code !== 'rate_limited') throw error
  }
}

async function provePassword(
  { repository, passwords }: SignInServices,
  accountId: string,
  user: StoredUser,
  password: string,
): Promise<Proof | undefined> {
  const found = await repository.users.findCredentials(accountId, user.email)
  // The address may be another user's by now.
  const stored = found?.user.id === user.id ? found.passwordHash : null
  const isRight = await passwords.verify(accountId, stored, password, user.id)
  if (!isRight) return undefined
  // It may be known to others: it only permits to choose another.
  if (mustChangePassword(['pwd'], stored)) {
    const detail = 'The password has expired: sign in again, and choose another one.'
    throw new ClienteleError('credentials_invalid', detail)
  }
  return { proved: ['pwd'], passwordHash: stored, factors: undefined }
}

async function proveCode(
  services: SignInServices,
  accountId: string,
  userId: string,
  method: Method,
  code: string,
): Promise<Proof | undefined> {
  // Before the code: what changes after this is seen.
  const factors = await services.repository.mfa.find(accountId, userId)
  if (!isEnrolled(factors)) return undefined
  const isRight =
    method === 'totp'
      ? await useTotpCode(services, accountId, userId, factors, code)
      : await useRecoveryCode(services, accountId, userId, code)
  return isRight ? { proved: amrOfMethod[method], passwordHash: null, factors } : undefined
}

async function useRecoveryCode(
  { repository }: SignInServices,
  accountId: string,
  userId: string,
  code: string,
): Promise<boolean> {
  const hash = hashRecoveryCode(userId, code)
  return (await repository.mfa.useRecoveryCode(accountId, userId, hash, null)) === 'used'
}

import { z } from 'zod'
import type { Call } from '../../base/call/call.ts'
import { hashOpaqueToken } from '../../base/crypto/opaque-token.ts'
import { ClienteleError } from '../../base/errors.ts'
import { codePoints } from '../../base/input/input.ts'
import { isPlainObject } from '../../base/input/json.ts'
import { givenOpaqueTokenSchema } from '../../base/input/opaque-tokens.ts'
import { wireObject } from '../../base/input/wire-names.ts'
import { rememberShape } from '../devices/device.ts'
import { rememberDevice } from '../devices/remember-device.ts'
import { appendEvent } from '../events/append-event.ts'
import { newEvent } from '../events/new-event.ts'
import { type ShownFactor, useSecondFactor } from '../passkeys/second-factor.ts'
import {
  type AuthenticationResponse,
  authenticationResponseSchema,
} from '../passkeys/webauthn-responses.ts'
import type { SignedIn } from '../sessions/open-session.ts'
import { type MfaMethod, mfaMethods, type PasswordChangeRequired } from './challenge-user.ts'
import { enrolFactor, proveNewFactor } from './enrol-to-log-in.ts'
import { findChallenge } from './find-challenge.ts'
import { mailsTo } from './mail-mfa-code.ts'
import { hashRecoveryCode, isMailCode } from './one-time-codes.ts'
import { openOrChangePassword } from './open-or-change-password.ts'
import { refuseIfGone } from './refuse-if-gone.ts'
import type { MfaServices } from './services.ts'
import type { ChallengeState, ProvedFactor } from './store.ts'
import { useTotpCode } from './totp-factor.ts'

const shape = {
  challenge: givenOpaqueTokenSchema,
  method: z.enum(mfaMethods),
  code: codePoints(z.string(), 1, 64)
    .meta({ examples: ['287082'] })
    .optional()
    .describe('For every method except `passkey`'),
  response: authenticationResponseSchema
    .optional()
    .describe("For the method `passkey`: the browser's AuthenticationResponseJSON"),
  ...rememberShape,
}

/** Checked together with the other members. */
const when = ({ value }: { value: unknown }) => isPlainObject(value)
const required = (name: string, isGiven: (input: Input) => boolean) =>
  z.refine<Input>(isGiven, {
    path: [name],
    params: { isNeeded: true },
    message: 'is required',
    when,
  })
const foreign = (name: string, isAbsent: (input: Input) => boolean) => {
  const params = { code: 'unrecognized' }
  return z.refine<Input>(isAbsent, {
    ...{ path: [name], params, when },
    message: 'is not allowed with this method',
  })
}
type Input = Record<string, unknown>
const checks = [
  required('code', ({ method, code }) => method === 'passkey' || code !== undefined),
  required('response', ({ method, response }) => method !== 'passkey' || response !== undefined),
  foreign('code', ({ method, code }) => method !== 'passkey' || code === undefined),
  foreign('response', ({ method, response }) => method === 'passkey' || response === undefined),
]
export const completeMfaSchema = z.strictObject(shape).check(...checks)
export const completeMfaWireSchema = wireObject(shape, { id: 'CompleteTwoFactor' }, ...checks)

/** The answer to a challenge: a code, or the browser's response for a passkey. */
export type CompleteMfaInput = {
  challenge: string
  /** Remembers the device, if the account's policy allows it. @default false */
  rememberDevice?: boolean
  /** What the user calls the device, up to 100 characters */
  deviceName?: string
} & (
  | { method: Exclude<MfaMethod, 'passkey'>; code: string }
  | { method: 'passkey'; response: AuthenticationResponse }
)

const ofMethod = (method: Exclude<MfaMethod, 'passkey'>): ShownFactor => ({
  amr: amrOfMethod[method],
})

/** The proven authentication methods, in addition to those of the first step (RFC 8176). */
export const amrOfMethod: Record<Exclude<MfaMethod, 'passkey'>, string[]> = {
  totp: ['otp', 'mfa'],
  email: ['otp', 'mfa'],
  recovery_code: ['mfa'],
}

/**
 * Completes a sign-in by answering its challenge. Each verified try uses up one of the challenge's five.
 *
 * @throws ClienteleError `challenge_invalid`, `two_factor_code_invalid`, `passkey_invalid`, `rate_limited`;
 *   `sign_in_method_disabled`, `email_not_verified`
 */
export async function completeMfa(
  services: MfaServices,
  call: Call,
  input: z.output<typeof completeMfaSchema>,
): Promise<SignedIn | PasswordChangeRequired> {
  const { repository, loginThrottle, clock } = services
  const { accountId, clientAddress } = call
  const hash = hashOpaqueToken(input.challenge)
  const { userId, policy, isEmailVerified, hasFactor } = await findChallenge(
    services,
    call,
    input.challenge,
  )
  const attempt = { accountId, target: userId, clientAddress }
  await loginThrottle.take('two_factor', attempt)
  const state = await repository.mfa.tryChallenge(accountId, hash, clock())
  if (state === undefined) throw new ClienteleError('challenge_invalid')
  // Read before the challenge is used up: if credentials end after this, either the challenge ends with them, or the
  // check below fails.
  const subject = { userId, sessionId: null }
  const holder = await repository.users.findSubject(accountId, clock(), subject)
  const remembers = input.rememberDevice === true
  // A device stands for the factors that there are now, not for those that the user has when the hooks have answered.
  const earlier = remembers ? await repository.mfa.find(accountId, userId) : undefined
  const proved = hasFactor
    ? await proveFactor(services, call, state, input)
    : await proveEnrolment(services, call, state, input)
  if (typeof proved === 'string') {
    await tellFailure(services, call, userId)
    throw new ClienteleError(proved)
  }
  // The code was right, also where a hook refuses the sign-in.
  await loginThrottle.giveBack('two_factor', attempt)
  const { amr: methods } = 'amr' in proved ? proved : ofMethod(proved.method)
  const amr = [...new Set([...state.amr, ...methods])]
  const newFactor = 'amr' in proved ? undefined : proved
  const enrolled =
    newFactor &&
    (await enrolFactor(services, call, input.challenge, state, newFactor, amr).catch(refuseIfGone))
  const { stored, approved } = enrolled ?? {}
  const factors = stored ?? earlier
  // Storing a factor has ended the challenge. A recovery code was used up together with it: a race cannot use up more than one.
  const isAnswered =
    stored !== undefined ||
    input.method === 'recovery_code' ||
    (await repository.mfa.answerChallenge(accountId, hash))
  if (!isAnswered) throw new ClienteleError('challenge_invalid')
  if (input.method === 'email')
    await loginThrottle.succeed('two_factor', mailsTo(accountId, userId))
  try {
    if (holder === undefined) throw new ClienteleError('user_not_found')
    const { user, tokensNotBefore } = holder
    const { passwordHash } = state
    // What was shown may be taken away while the hooks are asked: that ends its answered challenge, too.
    const shown = stored === undefined ? { challengeHash: hash } : undefined
    const compared = { passwordHash, tokensNotBefore, shown, policy, isEmailVerified, approved }
    const codes = stored && { recoveryCodes: stored.recoveryCodes }
    const result = await openOrChangePassword(services, call, user, amr, compared)
    // Devices end with the password: the sign-in remembers one when it has another.
    if (!('token' in result)) return { ...result, ...codes }
    const { user: signedInUser, ...opened } = result
    const device =
      remembers && factors !== undefined
        ? await rememberDevice(services, call, user, input.deviceName, policy.rules, {
            ...compared,
            factors: { changedBy: factors.changedBy },
          })
        : undefined
    return { ...opened, ...codes, ...device, user: signedInUser }
  } catch (error) {
    return refuseIfGone(error)
  }
}

/** A user without a factor proves the one that is to be enrolled. */
async function proveEnrolment(
  services: MfaServices,
  call: Call,
  state: ChallengeState,
  { challenge, method, code = '' }: z.output<typeof completeMfaSchema>,
): Promise<ProvedFactor | 'two_factor_code_invalid' | 'passkey_invalid'> {
  if (method === 'passkey') return 'passkey_invalid'
  if (method === 'recovery_code') return 'two_factor_code_invalid'
  const proved = await proveNewFactor(services, call, challenge, state, method, code)
  return proved ?? 'two_factor_code_invalid'
}

async function tellFailure(services: MfaServices, call: Call, userId: string): Promise<void> {
  const found = await services.repository.users.find(call.accountId, userId)
  if (found === undefined) return
  const { email } = found.user
  const event = newEvent(
    services,
    call,
    'user.login_failed',
    userId,
    { reason: undefined },
    { email },
  )
  await appendEvent(services, event)
}

/** Returns what was shown, or the code of the refusal. */
async function proveFactor(
  services: MfaServices,
  call: Call,
  state: ChallengeState,
  { challenge, method, code = '', response }: z.output<typeof completeMfaSchema>,
): Promise<ShownFactor | 'two_factor_code_invalid' | 'passkey_invalid'> {
  if (method === 'recovery_code') {
    const { userId } = state
    const [codeHash, challengeHash] = [hashRecoveryCode(userId, code), hashOpaqueToken(challenge)]
    const outcome = await services.repository.mfa.useRecoveryCode(
      call.accountId,
      userId,
      codeHash,
      challengeHash,
    )
    if (outcome === 'challenge_invalid') throw new ClienteleError(outcome)
    return outcome === 'used' ? ofMethod(method) : 'two_factor_code_invalid'
  }
  if (method !== 'passkey') {
    const isRight = await isRightCode(services, call.accountId, challenge, state, method, code)
    return isRight ? ofMethod(method) : 'two_factor_code_invalid'
  }
  if (response === undefined) return 'passkey_invalid'
  try {
    return await useSecondFactor(services, call, state.userId, challenge, response)
  } catch (error) {
    if (error instanceof ClienteleError && error.code === 'passkey_invalid') return error.code
    throw error
  }
}

async function isRightCode(
  services: MfaServices,
  accountId: string,
  challenge: string,
  state: ChallengeState,
  method: 'totp' | 'email',
  code: string,
): Promise<boolean> {
  if (method === 'email') return isMailedCode(services, accountId, challenge, state, code)
  const factor = await services.repository.mfa.find(accountId, state.userId)
  return useTotpCode(services, accountId, state.userId, factor, code)
}

/** A code is invalid if the user's address has changed, or the user no longer has the e-mail factor. */
async function isMailedCode(
  { repository, encryptor }: MfaServices,
  accountId: string,
  challenge: string,
  { userId, emailCodeHash, mailedTo }: ChallengeState,
  code: string,
): Promise<boolean> {
  if (emailCodeHash === null || !isMailCode(encryptor, emailCodeHash, challenge, code)) return false
  const [factor, found] = await Promise.all([
    repository.mfa.find(accountId, userId),
    repository.users.find(accountId, userId),
  ])
  return factor?.isEmailEnabled === true && found?.user.email === mailedTo
}

import { z } from 'zod'
import { byUser, type Call } from '../../base/call/call.ts'
import { hashOpaqueToken } from '../../base/crypto/opaque-token.ts'
import { purposeOf } from '../../base/crypto/stored-secrets.ts'
import { ClienteleError, invalidInput } from '../../base/errors.ts'
import { localeSchema } from '../../base/input/locale.ts'
import { givenOpaqueTokenSchema } from '../../base/input/opaque-tokens.ts'
import { needsSecondFactor } from '../accounts/assert-sign-in.ts'
import { isByMail } from '../accounts/sign-in-methods.ts'
import { newEvent } from '../events/new-event.ts'
import { mustChangePassword } from '../passwords/expired-hash.ts'
import { type ApprovedSignIn, approveSignIn, settleApproved } from '../sessions/approve-sign-in.ts'
import { askUntilUnchanged } from '../users/ask-until-unchanged.ts'
import type { ComparedFactors } from '../users/store.ts'
import { type EnrolledMethod, enrolledMethods, listEnrolled } from './challenge-user.ts'
import { findChallenge } from './find-challenge.ts'
import { mailCode } from './mail-mfa-code.ts'
import { createRecoveryCodes, hashRecoveryCode, isMailCode } from './one-time-codes.ts'
import type { MfaServices } from './services.ts'
import type { ChallengeState, ProvedFactor } from './store.ts'
import { findTotpStep } from './totp.ts'
import { enrolTotp, type TotpEnrolment } from './totp-factor.ts'

export const enrolToLogInSchema = z
  .strictObject({
    challenge: givenOpaqueTokenSchema,
    method: z.enum(enrolledMethods),
    locale: localeSchema.optional(),
  })
  .meta({ id: 'EnrolToLogIn' })

/**
 * Begins to enrol the second factor that a sign-in asks for. Nothing is enrolled before the challenge is answered with it.
 *
 * @returns undefined: the code is mailed
 * @throws ClienteleError `challenge_invalid`, `two_factor_already_enrolled`, `mail_unavailable`, `rate_limited`,
 *   `sign_in_method_disabled`, `email_not_verified`; `validation_failed` for codes by e-mail after a mailed code
 */
export async function enrolToLogIn(
  services: MfaServices,
  call: Call,
  { challenge, method, locale }: z.output<typeof enrolToLogInSchema>,
  withQrCode: boolean,
): Promise<TotpEnrolment | undefined> {
  const { accountId } = call
  const { userId, amr, policy, hasFactor } = await findChallenge(services, call, challenge)
  // The password alone must not add a factor beside one that the user has.
  if (hasFactor) throw new ClienteleError('two_factor_already_enrolled')
  // It asks for another password, or the account requires no second factor any more.
  if (!needsSecondFactor(policy.rules, amr)) throw new ClienteleError('challenge_invalid')
  const methods = listEnrolled(amr)
  if (!methods.includes(method)) {
    const message = `must be ${methods.join(' or ')}: this sign-in began with a code by e-mail`
    throw invalidInput([{ pointer: '/method', code: 'value', message }])
  }
  const stored = await services.repository.users.find(accountId, userId)
  if (!stored?.user.isActive) throw new ClienteleError('challenge_invalid')
  if (method === 'totp') return enrolTotp(services, call, userId, withQrCode)
  await mailCode(services, call, challenge, stored.user, locale)
  return undefined
}

/** The factor that a code proves; undefined: the code is wrong. */
export async function proveNewFactor(
  { repository, encryptor, clock }: MfaServices,
  { accountId }: Call,
  challenge: string,
  { userId, emailCodeHash, mailedTo }: ChallengeState,
  method: EnrolledMethod,
  code: string,
): Promise<ProvedFactor | undefined> {
  if (method === 'email') {
    const isRight = emailCodeHash !== null && isMailCode(encryptor, emailCodeHash, challenge, code)
    const found = isRight ? await repository.users.find(accountId, userId) : undefined
    return found?.user.email === mailedTo ? { method } : undefined
  }
  const encryptedSecret = (await repository.mfa.find(accountId, userId))?.encryptedTotpSecret
  if (encryptedSecret === undefined || encryptedSecret === null) return undefined
  const secret = encryptor.decrypt(encryptedSecret, purposeOf('totp', accountId, userId))
  const step = await findTotpStep(secret, code, clock())
  return step === undefined ? undefined : { method, encryptedSecret, step }
}

/** A factor that is stored: its recovery codes, which are shown only this time, and what a device is compared with */
type StoredFactor = { recoveryCodes: string[] } & ComparedFactors

/**
 * Asks the hooks, and then stores the factor: a refusal leaves no factor whose recovery codes were never shown.
 *
 * @throws ClienteleError `challenge_invalid`, `credentials_invalid`; `refused_by_hook`, `hook_unavailable`, `hook_failed`;
 *   `overloaded` when the user changes all the time
 */
export async function enrolFactor(
  services: MfaServices,
  call: Call,
  challenge: string,
  { userId, passwordHash, amr: shownFirst }: ChallengeState,
  factor: ProvedFactor,
  amr: string[],
): Promise<{ stored: StoredFactor; approved: ApprovedSignIn | undefined }> {
  const isExpired = mustChangePassword(amr, passwordHash)
  return askUntilUnchanged(async () => {
    const approved = isExpired ? undefined : await approveSignIn(services, call, userId, amr)
    const version = approved?.asked?.version
    const stored = await storeFactor(services, call, challenge, userId, factor, shownFirst, version)
    return stored && { stored, approved: approved && settleApproved(approved) }
  })
}

/**
 * Stores the factor, and uses up its challenge. Returns undefined if the user is of another version than the hooks were asked
 * about.
 *
 * @throws ClienteleError `challenge_invalid`
 */
async function storeFactor(
  services: MfaServices,
  call: Call,
  challenge: string,
  userId: string,
  factor: ProvedFactor,
  amr: readonly string[],
  version: number | undefined,
): Promise<StoredFactor | undefined> {
  const { repository, events, clock } = services
  const { accountId } = call
  const found = await repository.users.find(accountId, userId)
  if (found === undefined) throw new ClienteleError('challenge_invalid')
  if (version !== undefined && found.version !== version) return undefined
  const codes = createRecoveryCodes()
  const hashes = codes.map((code) => hashRecoveryCode(userId, code))
  const data = { method: factor.method }
  const { user } = found
  const ofUser = byUser(call, userId)
  const event = newEvent(services, ofUser, 'two_factor.enrolled', userId, data, { user })
  const named = { hash: hashOpaqueToken(challenge), userId, isByMail: isByMail(amr) }
  const { enrolByChallenge } = repository.mfa
  if (!(await enrolByChallenge(accountId, named, factor, clock(), hashes, event)))
    throw new ClienteleError('challenge_invalid')
  events.emit(event)
  return { recoveryCodes: codes, changedBy: event.id }
}

import type { Call } from '../../base/call/call.ts'
import { createOpaqueToken, hashOpaqueToken } from '../../base/crypto/opaque-token.ts'
import { ClienteleError } from '../../base/errors.ts'
import type { StoredUser } from '../../user-model/stored-user.ts'
import { isByMail } from '../accounts/sign-in-methods.ts'
import type { ComparedCredentials } from '../sessions/open-session.ts'
import { challengeTtlSeconds } from './challenge-life.ts'
import type { MfaServices } from './services.ts'
import type { MfaFactors } from './store.ts'

export const mfaMethods = ['totp', 'email', 'passkey', 'recovery_code'] as const
export type MfaMethod = (typeof mfaMethods)[number]

/** The result of signing in when the password is right and the user has an MFA factor. */
export interface MfaRequired {
  mfaRequired: true
  challenge: string
  methods: MfaMethod[]
  /** Seconds */
  expiresIn: number
}

/** The factors that a sign-in can enrol */
export const enrolledMethods = ['totp', 'email'] as const satisfies MfaMethod[]
export type EnrolledMethod = (typeof enrolledMethods)[number]

/** The result of signing in when the account requires a second factor and the user has none. */
export interface MfaEnrolmentRequired {
  mfaEnrolmentRequired: true
  /** For `enrolToLogIn`, and then for `completeMfa` */
  challenge: string
  /** The factors that the user may enrol */
  methods: EnrolledMethod[]
  /** Seconds */
  expiresIn: number
}

/** The result of signing in when the password is right and has expired, after the second factor where there is one. */
export interface PasswordChangeRequired {
  passwordChangeRequired: true
  /** For `changeExpiredPassword` */
  challenge: string
  /** Seconds */
  expiresIn: number
  /** The recovery codes of a second factor that was enrolled by this sign-in: shown only this time */
  recoveryCodes?: string[]
}

const tries = 5
const mails = 3

/** Whether a user has to prove an MFA factor. */
export function isEnrolled(factor: MfaFactors | undefined): factor is MfaFactors {
  return (
    factor !== undefined && (factor.isTotpConfirmed || factor.isEmailEnabled || factor.passkeys > 0)
  )
}

/** The methods by which the user can prove an MFA factor. */
function methodsOf({ sendMail }: MfaServices, factor: MfaFactors): MfaMethod[] {
  const methods: MfaMethod[] = []
  if (factor.isTotpConfirmed) methods.push('totp')
  if (factor.isEmailEnabled && sendMail !== undefined) methods.push('email')
  if (factor.passkeys > 0) methods.push('passkey')
  if (factor.recoveryCodesLeft > 0) methods.push('recovery_code')
  return methods
}

type Compared = Pick<ComparedCredentials, 'passwordHash' | 'tokensNotBefore' | 'shown'>

/**
 * Challenges a user for an MFA factor. The challenge is bound to the user and to the user's present password.
 *
 * @param amr the authentication methods so far
 */
export async function challengeUser(
  services: MfaServices,
  call: Call,
  user: StoredUser,
  factor: MfaFactors,
  amr: string[],
  compared: Compared,
): Promise<MfaRequired> {
  const challenge = await createChallenge(services, call, user, amr, compared)
  const methods = methodsOf(services, factor)
  return { mfaRequired: true, challenge, methods, expiresIn: challengeTtlSeconds }
}

/** Challenges a user without an MFA factor to enrol one. It is as bound as other challenges. */
export async function challengeToEnrol(
  services: MfaServices,
  call: Call,
  user: StoredUser,
  amr: string[],
  compared: Compared,
): Promise<MfaEnrolmentRequired> {
  const challenge = await createChallenge(services, call, user, amr, compared)
  const hasMail = services.sendMail !== undefined
  const methods = listEnrolled(amr).filter((method) => method !== 'email' || hasMail)
  return { mfaEnrolmentRequired: true, challenge, methods, expiresIn: challengeTtlSeconds }
}

/** Asks a user whose password has expired for another one. It is as bound as other challenges. */
export async function challengeToChangePassword(
  services: MfaServices,
  call: Call,
  user: StoredUser,
  amr: string[],
  compared: Compared,
): Promise<PasswordChangeRequired> {
  const challenge = await createChallenge(services, call, user, amr, compared)
  return { passwordChangeRequired: true, challenge, expiresIn: challengeTtlSeconds }
}

/** The factors that a sign-in can enrol: after a mailed code, no codes by e-mail. */
export function listEnrolled(amr: readonly string[]): EnrolledMethod[] {
  return enrolledMethods.filter((method) => method !== 'email' || !isByMail(amr))
}

async function createChallenge(
  { repository, clock }: MfaServices,
  { accountId }: Call,
  user: StoredUser,
  amr: string[],
  { passwordHash, tokensNotBefore, shown }: Compared,
): Promise<string> {
  const challenge = createOpaqueToken()
  const record = {
    hash: hashOpaqueToken(challenge),
    userId: user.id,
    amr,
    passwordHash,
    tokensNotBefore,
    shown,
    tries,
    mails,
    expiresAt: clock() + challengeTtlSeconds * 1000,
  }
  if (!(await repository.mfa.createChallenge(accountId, record)))
    throw new ClienteleError('credentials_invalid')
  return challenge
}

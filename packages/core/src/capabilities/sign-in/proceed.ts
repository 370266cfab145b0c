import type { Call } from '../../base/call/call.ts'
import type { StoredUser } from '../../user-model/stored-user.ts'
import { needsSecondFactor } from '../accounts/assert-sign-in.ts'
import { isByMail } from '../accounts/sign-in-methods.ts'
import {
  challengeToEnrol,
  challengeUser,
  isEnrolled,
  type MfaEnrolmentRequired,
  type MfaRequired,
  type PasswordChangeRequired,
} from '../mfa/challenge-user.ts'
import { openOrChangePassword } from '../mfa/open-or-change-password.ts'
import type { MfaFactors } from '../mfa/store.ts'
import type { ComparedCredentials, SignedIn } from '../sessions/open-session.ts'
import type { SignInServices } from './services.ts'

/** What a way to sign in gives: a session, or the step that follows, with its `challenge`. */
export type SignInResult = SignedIn | MfaRequired | MfaEnrolmentRequired | PasswordChangeRequired

/**
 * Continues after the first factor: with the user's second factor, with enrolling one where the account requires it, with
 * another password where it has expired, or with a session.
 *
 * @throws ClienteleError `credentials_invalid`, `sign_in_method_disabled`, `email_not_verified`
 */
export async function proceed(
  services: SignInServices,
  call: Call,
  user: StoredUser,
  factor: MfaFactors | undefined,
  amr: string[],
  compared: ComparedCredentials,
  sessionId?: string,
): Promise<SignInResult> {
  const asked = withoutFirst(factor, amr)
  if (isEnrolled(asked)) return challengeUser(services, call, user, asked, amr, compared)
  if (needsSecondFactor(compared.policy.rules, amr))
    return challengeToEnrol(services, call, user, amr, compared)
  return openOrChangePassword(services, call, user, amr, compared, sessionId)
}

/** After a mailed code, another code by e-mail would prove the same mailbox once more: it is no second factor. */
function withoutFirst(factor: MfaFactors | undefined, amr: string[]): MfaFactors | undefined {
  return factor && isByMail(amr) ? { ...factor, isEmailEnabled: false } : factor
}

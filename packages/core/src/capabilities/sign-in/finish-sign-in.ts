import type { Call } from '../../base/call/call.ts'
import type { StoredUser } from '../../user-model/stored-user.ts'
import { challengeUser, type MfaRequired, methodsOf } from '../mfa/challenge-user.ts'
import type { MfaFactors } from '../mfa/store.ts'
import { openSession, type SignedIn } from '../sessions/open-session.ts'
import type { SignInServices } from './services.ts'

/** Who has proved to be a user, but for an MFA factor. */
interface ProvedUser {
  user: StoredUser
  /** How (RFC 8176) */
  amr: string[]
  passwordHash: string | null
  /** When the user's tokens were last revoked, as of the look-up of what was proved. @default not compared */
  tokensNotBefore?: number
  /** Of the session that is opened. @default made */
  sessionId?: string
}

/** Whether a user is asked for an MFA factor. */
export function isEnrolled(factor: MfaFactors | undefined): factor is MfaFactors {
  return (
    factor !== undefined && (factor.isTotpConfirmed || factor.isEmailEnabled || factor.passkeys > 0)
  )
}

/**
 * Opens the session, or asks for the MFA factor that is enrolled.
 *
 * @throws ClienteleError `credentials_invalid`
 */
export async function finishSignIn(
  services: SignInServices,
  call: Call,
  { user, amr, passwordHash, tokensNotBefore, sessionId }: ProvedUser,
  factor: MfaFactors | undefined,
): Promise<SignedIn | MfaRequired> {
  return isEnrolled(factor)
    ? challengeUser(services, call, user, methodsOf(services, factor), amr, passwordHash)
    : openSession(services, call, user, amr, { passwordHash, tokensNotBefore }, sessionId)
}

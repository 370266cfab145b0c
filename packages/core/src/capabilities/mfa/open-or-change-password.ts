import type { Call } from '../../base/call/call.ts'
import type { StoredUser } from '../../user-model/stored-user.ts'
import { mustChangePassword } from '../passwords/expired-hash.ts'
import { type ComparedCredentials, openSession, type SignedIn } from '../sessions/open-session.ts'
import { challengeToChangePassword, type PasswordChangeRequired } from './challenge-user.ts'
import type { MfaServices } from './services.ts'

/**
 * Opens the session of a sign-in that has shown every factor; if its password has expired, asks for another one first.
 *
 * @throws ClienteleError `credentials_invalid`, `sign_in_method_disabled`, `email_not_verified`
 */
export async function openOrChangePassword(
  services: MfaServices,
  call: Call,
  user: StoredUser,
  amr: string[],
  compared: ComparedCredentials,
  sessionId?: string,
): Promise<SignedIn | PasswordChangeRequired> {
  return mustChangePassword(amr, compared.passwordHash)
    ? challengeToChangePassword(services, call, user, amr, compared)
    : openSession(services, call, user, amr, compared, sessionId)
}

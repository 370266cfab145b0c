import { byUser, type Call } from '../../base/call/call.ts'
import type { StoredUser } from '../../user-model/stored-user.ts'
import type { StoredPolicy } from '../accounts/account-policy.ts'
import { needsSecondFactor } from '../accounts/assert-sign-in.ts'
import {
  askBeforeCreate,
  askBeforeSignIn,
  askTokenClaims,
  isRefusedByHook,
} from '../hooks/ask-hooks.ts'
import type { ApprovedSignIn } from '../sessions/approve-sign-in.ts'
import type { IdToken } from './id-token.ts'
import type { SignInServices } from './services.ts'
import { tellFailedToken } from './tell-failed-token.ts'

/**
 * Asks the hooks about a user whom an ID token creates. The answer has what they say about the sign-in itself, except
 * where a second factor follows.
 *
 * @throws ClienteleError `refused_by_hook`, `hook_unavailable`, `hook_failed`
 */
export async function askForNewUser(
  services: SignInServices,
  call: Call,
  token: IdToken,
  newUser: StoredUser,
  amr: string[],
  sessionId: string,
  { rules }: StoredPolicy,
): Promise<ApprovedSignIn | undefined> {
  const ofUser = byUser(call, newUser.id)
  try {
    await askBeforeCreate(services, ofUser, newUser, 'id_token')
    if (needsSecondFactor(rules, amr)) return undefined
    await askBeforeSignIn(services, ofUser, newUser, amr)
    const session = { amr, sessionId, impersonatedBy: null }
    return { sessionId, claims: await askTokenClaims(services, ofUser, newUser, session) }
  } catch (error) {
    // The user of an event must exist: this one does not.
    if (isRefusedByHook(error))
      await tellFailedToken(services, call, token, null, { reason: 'refused_by_hook' })
    throw error
  }
}

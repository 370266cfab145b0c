import { byUser, type Call } from '../../base/call/call.ts'
import type { StoredUser } from '../../user-model/stored-user.ts'
import type { StoredPolicy } from '../accounts/account-policy.ts'
import { needsSecondFactor } from '../accounts/assert-sign-in.ts'
import { askBeforeCreate, askForSession, isRefusedByHook } from '../hooks/ask-hooks.ts'
import { type ApprovedSignIn, approveSignIn } from '../sessions/approve-sign-in.ts'
import type { IdToken } from './id-token.ts'
import type { SignInServices } from './services.ts'
import { tellFailedToken } from './tell-failed-token.ts'

/** The version that a new user is stored with */
const firstVersion = 1

/** Who is to sign in with an ID token: a user whom it creates, or one who is there, without an identity to be linked */
type Owner = { newUser: StoredUser } | { user: StoredUser; identityId?: string }

interface AskedSignIn {
  owner: Owner
  amr: string[]
  sessionId: string
  policy: StoredPolicy
}

/**
 * Asks the hooks about a user whom an ID token creates or links, before anything is written: a refusal leaves no user behind,
 * links nothing, ends nothing of the user, and leaves the token unused. Undefined where they are asked later, as only the session
 * is to be written. Where a second factor follows, they are asked again after it.
 *
 * @throws ClienteleError `credentials_invalid` when the user is gone or inactive by now; `refused_by_hook`,
 *   `hook_unavailable`, `hook_failed`
 */
export async function askFirst(
  services: SignInServices,
  call: Call,
  token: IdToken,
  { owner, amr, sessionId, policy: { rules } }: AskedSignIn,
): Promise<ApprovedSignIn | undefined> {
  const isFirst = needsSecondFactor(rules, amr)
  if ('newUser' in owner)
    return askForNewUser(services, call, token, owner.newUser, amr, sessionId, isFirst)
  if (owner.identityId !== undefined) return undefined
  return approveSignIn(services, call, owner.user.id, amr, sessionId, isFirst)
}

async function askForNewUser(
  services: SignInServices,
  call: Call,
  token: IdToken,
  newUser: StoredUser,
  amr: string[],
  sessionId: string,
  isFirst: boolean,
): Promise<ApprovedSignIn> {
  const ofUser = byUser(call, newUser.id)
  try {
    await askBeforeCreate(services, ofUser, newUser, 'id_token')
    const claims = await askForSession(services, ofUser, newUser, amr, sessionId, isFirst)
    return { sessionId, claims, asked: { user: newUser, version: firstVersion } }
  } catch (error) {
    // The user of an event must exist: this one does not.
    if (isRefusedByHook(error))
      await tellFailedToken(services, call, token, null, { reason: 'refused_by_hook' })
    throw error
  }
}

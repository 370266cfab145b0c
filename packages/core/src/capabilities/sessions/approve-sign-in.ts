import { byUser, type Call } from '../../base/call/call.ts'
import { ClienteleError } from '../../base/errors.ts'
import type { StoredUser, VersionedUser } from '../../user-model/stored-user.ts'
import { appendEvent } from '../events/append-event.ts'
import { newEvent } from '../events/new-event.ts'
import { askForSession, isRefusedByHook } from '../hooks/ask-hooks.ts'
import type { SessionsServices } from './services.ts'

/** A sign-in that the hooks have let happen. */
export interface ApprovedSignIn {
  sessionId: string
  /** Further claims of the session's token */
  claims: Record<string, unknown> | undefined
  /** The user that the hooks were asked about, who must be the same still. @default none was asked */
  asked?: VersionedUser | undefined
}

/**
 * A sign-in for which something was written, about the user that the hooks were asked about: it goes on, also if the user changes
 * before the session is there. A refusal would leave what was written, such as recovery codes that nobody has seen.
 */
export function settleApproved({ sessionId, claims }: ApprovedSignIn): ApprovedSignIn {
  return { sessionId, claims }
}

/**
 * Asks the hooks about a user who has shown everything: whether the session may be opened, and for the claims of its token.
 * A refusal is an event. `openSession` asks by itself; sign-ins that write something before it ask before they write.
 *
 * @param needsSecondFactor whether only that is written now, and the hooks are asked again for the session
 * @throws ClienteleError `credentials_invalid` when the user is gone or inactive by now; `refused_by_hook`,
 *   `hook_unavailable`, `hook_failed`
 */
export async function approveSignIn(
  services: SessionsServices,
  call: Call,
  userId: string,
  amr: string[],
  sessionId: string = services.newId(),
  needsSecondFactor = false,
): Promise<ApprovedSignIn> {
  const { hooks, repository } = services
  if (!hooks.has('beforeSignIn') && !hooks.has('tokenClaims'))
    return { sessionId, claims: undefined }
  const asked = await repository.users.find(call.accountId, userId)
  if (!asked?.user.isActive) throw new ClienteleError('credentials_invalid')
  return askAboutSignIn(services, call, asked, amr, sessionId, needsSecondFactor)
}

/**
 * The same for a user who was read just now.
 *
 * @throws ClienteleError `refused_by_hook`, `hook_unavailable`, `hook_failed`
 */
export async function askAboutSignIn(
  services: SessionsServices,
  call: Call,
  asked: VersionedUser,
  amr: string[],
  sessionId: string = services.newId(),
  needsSecondFactor = false,
): Promise<ApprovedSignIn> {
  const { user } = asked
  const ofUser = byUser(call, user.id)
  try {
    const claims = await askForSession(services, ofUser, user, amr, sessionId, needsSecondFactor)
    return { sessionId, claims, asked }
  } catch (error) {
    if (isRefusedByHook(error)) await tellRefusal(services, call, user)
    throw error
  }
}

async function tellRefusal(
  services: SessionsServices,
  call: Call,
  { id, email }: StoredUser,
): Promise<void> {
  const reason = 'refused_by_hook'
  const event = newEvent(services, call, 'user.login_failed', id, { reason }, { email })
  await appendEvent(services, event)
}

import { byUser, type Call } from '../../base/call/call.ts'
import type { StoredUser } from '../../user-model/stored-user.ts'
import { appendEvent } from '../events/append-event.ts'
import { newEvent } from '../events/new-event.ts'
import { askBeforeSignIn, askTokenClaims, isRefusedByHook } from '../hooks/ask-hooks.ts'
import type { SessionsServices } from './services.ts'

/** A sign-in that the hooks have let happen. */
export interface ApprovedSignIn {
  sessionId: string
  /** Further claims of the session's token */
  claims: Record<string, unknown> | undefined
}

/**
 * Asks the hooks about a user who has shown everything: whether the session may be opened, and for the claims of its token.
 * A refusal is an event. `openSession` asks by itself; sign-ins that write something before it ask before they write.
 *
 * @throws ClienteleError `refused_by_hook`, `hook_unavailable`, `hook_failed`
 */
export async function approveSignIn(
  services: SessionsServices,
  call: Call,
  user: StoredUser,
  amr: string[],
  sessionId: string = services.newId(),
): Promise<ApprovedSignIn> {
  const ofUser = byUser(call, user.id)
  try {
    await askBeforeSignIn(services, ofUser, user, amr)
    const session = { amr, sessionId, impersonatedBy: null }
    return { sessionId, claims: await askTokenClaims(services, ofUser, user, session) }
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

import type { Call } from '../../base/call/call.ts'
import type { StoredUser } from '../../user-model/stored-user.ts'
import { appendTypedEmail } from '../events/append-typed-email.ts'
import type { EventData } from '../events/event-types.ts'
import { newEvent } from '../events/new-event.ts'
import type { IdToken } from './id-token.ts'
import type { SignInServices } from './services.ts'

/**
 * Writes that a sign-in with an ID token failed. Only for a verified token: other tokens can name any user.
 *
 * @param user whom the token names; null: no user yet
 */
export async function tellFailedToken(
  services: SignInServices,
  call: Call,
  token: IdToken,
  user: StoredUser | null,
  why: EventData<'user.login_failed'> = { reason: undefined },
): Promise<void> {
  const email = user?.email ?? token.email
  if (email === undefined) return
  const event = newEvent(services, call, 'user.login_failed', user?.id ?? null, why, { email })
  await appendTypedEmail(services, event)
}

import type { Call } from '../../base/call/call.ts'
import { createOpaqueToken, hashOpaqueToken } from '../../base/crypto/opaque-token.ts'
import { ClienteleError } from '../../base/errors.ts'
import { type StoredUser, toClientUser } from '../../user-model/stored-user.ts'
import type { Mail, SendMail } from '../users/mail.ts'
import { invitationLifeSeconds, toInvitationTarget } from './invitation-life.ts'
import type { InvitationsServices } from './services.ts'
import type { NewInvitation } from './store.ts'

/** Makes the token of an invitation, and what is stored of it. */
export function createInvitation(now: number): { token: string; invitation: NewInvitation } {
  const token = createOpaqueToken()
  const expiresAt = now + invitationLifeSeconds * 1000
  return { token, invitation: { hash: hashOpaqueToken(token), expiresAt } }
}

/** The mail with the token. */
export function toInvitationMail(
  { accountId }: Call,
  user: StoredUser,
  token: string,
  locale: string | undefined,
): Mail {
  return {
    kind: 'invitation',
    accountId,
    to: user.email,
    user: toClientUser(user),
    locale,
    token,
    expiresInSeconds: invitationLifeSeconds,
  }
}

/**
 * Checks that mail can be sent, and counts this one.
 *
 * @throws ClienteleError `mail_unavailable`, `rate_limited`
 */
export async function countMail(
  { loginThrottle, sendMail }: InvitationsServices,
  { accountId }: Call,
  email: string,
): Promise<SendMail> {
  if (sendMail === undefined) throw new ClienteleError('mail_unavailable')
  // Not by the client's address: one person may invite a whole company.
  await loginThrottle.take('reset', { accountId, target: toInvitationTarget(email) })
  return sendMail
}

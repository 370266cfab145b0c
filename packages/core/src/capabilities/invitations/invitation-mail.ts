import type { Call } from '../../base/call/call.ts'
import { createOpaqueToken, hashOpaqueToken } from '../../base/crypto/opaque-token.ts'
import { ClienteleError } from '../../base/errors.ts'
import { type StoredUser, toClientUser } from '../../user-model/stored-user.ts'
import type { Mail } from '../users/mail.ts'
import { mailAfter } from '../users/mail-after.ts'
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
 * Counts a mail, and does the work whose mail it sends.
 *
 * @throws ClienteleError `mail_unavailable`, `rate_limited`, `overloaded`; any error of the work
 */
export async function mailInvitation<T>(
  services: InvitationsServices,
  call: Call,
  email: string,
  work: () => Promise<{ result: T; mails: Mail[] }>,
): Promise<T> {
  const { loginThrottle, sendMail } = services
  const { accountId } = call
  if (sendMail === undefined) throw new ClienteleError('mail_unavailable')
  return mailAfter(services, call, { kind: 'invitation', sendMail }, async () => {
    // Not by the client's address: one person may invite a whole company.
    await loginThrottle.take('reset', { accountId, target: toInvitationTarget(email) })
    return work()
  })
}

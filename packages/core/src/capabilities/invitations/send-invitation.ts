import { z } from 'zod'
import type { Call } from '../../base/call/call.ts'
import { ClienteleError } from '../../base/errors.ts'
import { localeSchema } from '../../base/input/locale.ts'
import { newEvent } from '../events/new-event.ts'
import { findUser } from '../users/find-user.ts'
import type { Mail } from '../users/mail.ts'
import { createInvitation, mailInvitation, toInvitationMail } from './invitation-mail.ts'
import type { InvitationsServices } from './services.ts'

export const sendInvitationSchema = z
  .strictObject({ locale: localeSchema.optional() })
  .meta({ id: 'SendInvitation' })

/**
 * Invites an existing user who has never signed in and has no password. An earlier invitation ends.
 *
 * @throws ClienteleError `user_not_found`, `user_inactive`, `invitation_accepted`, `mail_unavailable`, `rate_limited`,
 *   `overloaded`
 */
export async function sendInvitation(
  services: InvitationsServices,
  call: Call,
  userId: string,
  { locale }: z.output<typeof sendInvitationSchema>,
): Promise<void> {
  const { user } = await findUser(services, call, userId)
  await mailInvitation(services, call, user.email, async () => {
    const mail = await renewInvitation(services, call, userId, locale)
    return { result: undefined, mails: [mail] }
  })
}

/**
 * Stores a new invitation, and returns the mail that has its token.
 *
 * @throws ClienteleError `user_not_found`, `user_inactive`, `invitation_accepted`
 */
export async function renewInvitation(
  services: InvitationsServices,
  call: Call,
  userId: string,
  locale: string | undefined,
): Promise<Mail> {
  const { repository, events, clock } = services
  const { token, invitation } = createInvitation(clock())
  const renewed = await repository.invitations.renew(call.accountId, userId, invitation, (user) =>
    newEvent(services, call, 'user.invited', userId, {}, { user }),
  )
  if (typeof renewed === 'string') throw new ClienteleError(renewed)
  events.emit(renewed.event)
  return toInvitationMail(call, renewed.user, token, locale)
}

import type { Call } from '../../base/call/call.ts'
import { ClienteleError } from '../../base/errors.ts'
import { toStoredProfile, type VersionedUser } from '../../user-model/stored-user.ts'
import { findAccountRules } from '../accounts/find-account.ts'
import { newEvent } from '../events/new-event.ts'
import { askBeforeCreate } from '../hooks/ask-hooks.ts'
import { answerOnce } from '../idempotency/answer-once.ts'
import type { NewReply } from '../idempotency/store.ts'
import { type CheckedInvite, checkAccountRules } from '../users/user-input.ts'
import { createInvitation, mailInvitation, toInvitationMail } from './invitation-mail.ts'
import type { InvitationsServices } from './services.ts'

/**
 * Creates a user without a password, and mails a token with which the user sets one; with an idempotency key, once.
 *
 * @throws ClienteleError `validation_failed`, `email_taken`, `account_not_found`, `mail_unavailable`, `rate_limited`,
 *   `overloaded`; `idempotency_in_progress`, `idempotency_key_reused`
 */
export async function inviteUser(
  services: InvitationsServices,
  call: Call,
  input: CheckedInvite,
): Promise<VersionedUser> {
  return answerOnce(services, call, { operation: 'inviteUser', input }, (reply) =>
    storeInvited(services, call, input, reply),
  )
}

async function storeInvited(
  services: InvitationsServices,
  call: Call,
  { locale, ...profile }: CheckedInvite,
  reply?: NewReply,
): Promise<VersionedUser> {
  const { repository, events, newId, clock, passwordPolicy } = services
  const { roles, email } = profile
  const account = await findAccountRules(services, call)
  await checkAccountRules(account, passwordPolicy, { roles })
  const now = clock()
  const user = {
    ...{ id: newId(), ...toStoredProfile(profile) },
    ...{ isActive: true, createdAt: now, updatedAt: now },
  }
  await askBeforeCreate(services, call, user, 'invitation')
  return mailInvitation(services, call, email, async () => {
    const { token, invitation } = createInvitation(now)
    const told = {
      created: newEvent(services, call, 'user.created', user.id, {}, { user }),
      invited: newEvent(services, call, 'user.invited', user.id, {}, { user }),
    }
    const { create } = repository.invitations
    const outcome = await create(call.accountId, user, invitation, told, reply)
    if (outcome !== 'created') throw new ClienteleError(outcome)
    events.emit(told.created)
    events.emit(told.invited)
    const mail = toInvitationMail(call, user, token, locale)
    return { result: { user, version: 1 }, mails: [mail] }
  })
}

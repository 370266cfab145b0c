import { type CallInput, readCall } from '../../base/call/call.ts'
import { readId, readOptions } from '../../base/input/call-arguments.ts'
import { parseInput } from '../../base/input/input.ts'
import type { UserResult } from '../../user-model/client-user.ts'
import { toUserResult } from '../../user-model/stored-user.ts'
import type { InviteUserInput } from '../users/user-input.ts'
import { acceptInvitation } from './accept-invitation.ts'
import { inviteUser } from './invite-user.ts'
import { sendInvitation, sendInvitationSchema } from './send-invitation.ts'
import type { InvitationsServices } from './services.ts'

/**
 * Inviting users, who set their own passwords; a part of `clientele.users`.
 *
 * @example
 * const { user } = await clientele.users.invite(accountId, { name: 'Ada Lovelace', email: 'ada@example.com' })
 * await clientele.users.sendInvitation(accountId, user.id) // again: the first mail's token ends
 */
export interface InvitationsApi {
  /**
   * Creates a user without a password, and e-mails a token with which the user sets one; it is valid for seven days.
   * Supports `idempotencyKey` of the call.
   *
   * @throws ClienteleError `validation_failed`, `email_taken`, `account_not_found`; `mail_unavailable` without
   *   `sendMail`; `rate_limited`; `overloaded` when too many e-mails are waiting; `idempotency_in_progress`,
   *   `idempotency_key_reused`
   */
  invite(call: CallInput, input: InviteUserInput): Promise<UserResult>
  /**
   * E-mails an invitation to an existing user, at the present address. An earlier invitation ends.
   *
   * @throws ClienteleError `user_not_found`; `invitation_accepted` for a user who has a password, a session, or an
   *   identity or passkey that has been used; `user_inactive`, `mail_unavailable`, `rate_limited`, `overloaded`
   */
  sendInvitation(call: CallInput, userId: string, options?: { locale?: string }): Promise<void>
}

/**
 * Accepting an invitation; a part of `clientele.auth`.
 *
 * @example
 * await clientele.auth.acceptInvitation(accountId, { token, password })
 */
export interface AcceptInvitationApi {
  /**
   * Accepts an invitation with its e-mailed token, once: sets the user's password, which the account's policy may make
   * optional, and verifies the address. The first proof of an address ends everything that was enrolled before it.
   *
   * @throws ClienteleError `invitation_invalid`, `validation_failed`, `overloaded`
   */
  acceptInvitation(call: CallInput, input: { token: string; password?: string }): Promise<void>
}

export function createInvitationsApi(services: InvitationsServices): {
  users: InvitationsApi
  auth: AcceptInvitationApi
} {
  const { userSchemas } = services
  return {
    users: {
      invite: async (call, input) => {
        const checked = parseInput(userSchemas.invite, input)
        return toUserResult(await inviteUser(services, readCall(services, call), checked))
      },
      sendInvitation: async (call, userId, options = {}) => {
        const user = readId({ userId })
        const checked = readOptions(sendInvitationSchema, options)
        await sendInvitation(services, readCall(services, call), user, checked)
      },
    },
    auth: {
      acceptInvitation: async (call, input) => {
        const checked = parseInput(userSchemas.accept, input)
        await acceptInvitation(services, readCall(services, call), checked)
      },
    },
  }
}

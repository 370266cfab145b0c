import { type CallInput, readCall } from '../../base/call/call.ts'
import { readId } from '../../base/input/call-arguments.ts'
import { parseInput } from '../../base/input/input.ts'
import { confirmEmailChange, emailChangeTokenSchema } from './confirm-email-change.ts'
import { emailChangeRequestSchema, requestEmailChange } from './request-email-change.ts'
import type { EmailChangesServices } from './services.ts'
import { undoEmailChange } from './undo-email-change.ts'

/**
 * Changing the address of a user who asks for it; a part of `clientele.users`.
 *
 * @example
 * await clientele.users.requestEmailChange(accountId, userId, { email: 'ada@new.example' })
 */
export interface EmailChangesApi {
  /**
   * Mails a token to the new address, with which the user confirms the change within a day, and another to the present
   * address, which takes it back within three days. An earlier change that is not confirmed ends. Resolves in the same way
   * for an address that another user has. `locale` is the language of the e-mails (BCP 47): `sendMail` gets it.
   *
   * @throws ClienteleError `user_not_found`, `user_inactive`; `validation_failed` for the user's own address too;
   *   `mail_unavailable` without `sendMail`; `rate_limited`; `overloaded` when too many e-mails are waiting
   */
  requestEmailChange(
    call: CallInput,
    userId: string,
    input: { email: string; locale?: string },
  ): Promise<void>
}

/**
 * Confirming a change of an address, and taking it back; a part of `clientele.auth`.
 *
 * @example
 * await clientele.auth.confirmEmailChange(accountId, { token })
 */
export interface EmailChangeTokensApi {
  /**
   * Gives the user the new address, with the token that was mailed to it; the address is verified. If no address of the
   * user was verified before, all earlier sessions, second factors, passkeys, identities and tokens end; the password stays.
   *
   * @throws ClienteleError `email_change_invalid`; `email_taken` if another user has the address by now; `refused_by_hook`,
   *   `hook_unavailable`; `overloaded`
   */
  confirmEmailChange(call: CallInput, input: { token: string }): Promise<void>
  /**
   * Cancels a change that is not confirmed, with the token that was mailed to the user's address. A confirmed change is
   * taken back: the user gets the former address, every session and credential but the password ends, and the password
   * expires. Later changes of the address end.
   *
   * @throws ClienteleError `email_change_invalid`; `email_taken` if another user has the former address by now;
   *   `refused_by_hook`, `hook_unavailable`; `overloaded`
   */
  undoEmailChange(call: CallInput, input: { token: string }): Promise<void>
}

export function createEmailChangesApi(services: EmailChangesServices): {
  users: EmailChangesApi
  auth: EmailChangeTokensApi
} {
  return {
    users: {
      requestEmailChange: async (call, userId, input) => {
        const user = readId({ userId })
        const checked = parseInput(emailChangeRequestSchema, input)
        await requestEmailChange(services, readCall(services, call), user, checked)
      },
    },
    auth: {
      confirmEmailChange: async (call, input) => {
        const checked = parseInput(emailChangeTokenSchema, input)
        await confirmEmailChange(services, readCall(services, call), checked)
      },
      undoEmailChange: async (call, input) => {
        const checked = parseInput(emailChangeTokenSchema, input)
        await undoEmailChange(services, readCall(services, call), checked)
      },
    },
  }
}

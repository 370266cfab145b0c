import { type CallInput, readCall } from '../../base/call/call.ts'
import { readId } from '../../base/input/call-arguments.ts'
import { parseInput } from '../../base/input/input.ts'
import type { EmailVerificationMethods } from '../users/api.ts'
import { readEmailVerification } from './get-email-verified-at.ts'
import { emailTokenRequestSchema, requestEmailToken } from './request-email-token.ts'
import { resetPassword } from './reset-password.ts'
import type { EmailTokensServices } from './services.ts'
import type { EmailTokenPurpose } from './store.ts'
import { confirmEmailSchema, verifyEmail } from './verify-email.ts'

/**
 * Forgotten passwords and unverified addresses; a part of `clientele.auth`. The host's `sendMail` sends the token, and
 * the user returns it. `locale` is the language of the e-mail (BCP 47): `sendMail` gets it.
 *
 * @example
 * await clientele.auth.forgotPassword(accountId, { email })
 * // Later, with the token that the user has returned:
 * await clientele.auth.resetPassword(accountId, { token, password })
 */
export interface EmailTokensApi {
  /**
   * Sends an e-mail with a token that sets a new password; it is valid for an hour. Resolves in the same way for every
   * address; the e-mail is sent afterwards, if a user has the address.
   *
   * @throws ClienteleError `rate_limited`; `overloaded` when too many e-mails are waiting
   */
  forgotPassword(call: CallInput, input: { email: string; locale?: string }): Promise<void>
  /**
   * Sets a new password with an e-mail token. Every session of the user ends. The first proof of the address also ends
   * second factors, passkeys and identities.
   *
   * @throws ClienteleError `reset_token_invalid`, `validation_failed`, `overloaded`
   */
  resetPassword(call: CallInput, input: { token: string; password: string }): Promise<void>
  /**
   * Sends an e-mail with a token that verifies the address; it is valid for a day. Resolves in the same way for every
   * address; the e-mail is sent afterwards, if a user has the address.
   *
   * @throws ClienteleError `rate_limited`; `overloaded` when too many e-mails are waiting
   */
  requestEmailVerification(
    call: CallInput,
    input: { email: string; locale?: string },
  ): Promise<void>
  /**
   * Verifies the user's address with an e-mail token. The first proof of an address ends all earlier sessions, second
   * factors, passkeys, identities and e-mail tokens; the password stays.
   *
   * @throws ClienteleError `verification_token_invalid`
   */
  verifyEmail(call: CallInput, input: { token: string }): Promise<void>
}

export function createEmailTokensApi(services: EmailTokensServices): {
  auth: EmailTokensApi
  users: EmailVerificationMethods
} {
  const request = async (call: CallInput, purpose: EmailTokenPurpose, input: unknown) => {
    const checked = parseInput(emailTokenRequestSchema, input)
    await requestEmailToken(services, readCall(services, call), purpose, checked)
  }
  return {
    users: {
      getEmailVerifiedAt: async (call, userId) =>
        readEmailVerification(services, readCall(services, call), readId({ userId })),
    },
    auth: {
      forgotPassword: (call, input) => request(call, 'password_reset', input),
      resetPassword: async (call, input) => {
        const checked = parseInput(services.userSchemas.reset, input)
        await resetPassword(services, readCall(services, call), checked)
      },
      requestEmailVerification: (call, input) => request(call, 'email_verification', input),
      verifyEmail: async (call, input) =>
        verifyEmail(services, readCall(services, call), parseInput(confirmEmailSchema, input)),
    },
  }
}

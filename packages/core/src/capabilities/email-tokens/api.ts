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
 * Forgotten passwords and unverified addresses; a part of `clientele.auth`. The host's `sendMail` gets the token, and
 * the user brings it back.
 *
 * @example
 * await clientele.auth.forgotPassword(accountId, { email })
 * // Later, with the token that the user has brought back from the mail:
 * await clientele.auth.resetPassword(accountId, { token, password })
 */
export interface EmailTokensApi {
  /**
   * Has a token mailed by which a new password can be set; it is good for an hour. Resolves for every address alike;
   * the mail goes out afterwards, if a user has it.
   *
   * @throws ClienteleError `rate_limited`; `overloaded` when too many mails are waiting
   */
  forgotPassword(call: CallInput, input: { email: string }): Promise<void>
  /**
   * Sets a new password by a mailed token. Every session of the user ends; with the first proof of the address second
   * factors, passkeys and identities end, too.
   *
   * @throws ClienteleError `reset_token_invalid`, `validation_failed`, `overloaded`
   */
  resetPassword(call: CallInput, input: { token: string; password: string }): Promise<void>
  /**
   * Has a token mailed by which the address can be verified; it is good for a day. Resolves for every address alike;
   * the mail goes out afterwards, if a user has it.
   *
   * @throws ClienteleError `rate_limited`; `overloaded` when too many mails are waiting
   */
  requestEmailVerification(call: CallInput, input: { email: string }): Promise<void>
  /**
   * Notes by a mailed token that the user has the address. The first proof of an address ends what was there before it:
   * sessions, second factors, passkeys, identities and what else was mailed; the password stays.
   *
   * @throws ClienteleError `verification_token_invalid`
   */
  verifyEmail(call: CallInput, input: { token: string }): Promise<void>
}

export function createEmailTokensApi(services: EmailTokensServices): {
  auth: EmailTokensApi
  users: EmailVerificationMethods
} {
  const request = async (call: CallInput, purpose: EmailTokenPurpose, input: { email: string }) => {
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

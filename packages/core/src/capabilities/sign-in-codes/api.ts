import { type CallInput, readCall } from '../../base/call/call.ts'
import { parseInput } from '../../base/input/input.ts'
import type { SignInResult } from '../sign-in/proceed.ts'
import { type CodeLogInInput, codeLogInSchema, logInWithCode } from './log-in-with-code.ts'
import {
  type MailedSignInCode,
  type MailSignInCodeInput,
  mailSignInCode,
  mailSignInCodeSchema,
} from './mail-sign-in-code.ts'
import type { SignInCodesServices } from './services.ts'

/**
 * Signing in with a mailed code or link; a part of `clientele.auth`. An account has it where its policy's `signIn` has
 * `email_code`.
 *
 * @example
 * const { challenge } = await clientele.auth.mailSignInCode(accountId, { email })
 * // The page keeps the challenge. Later, with what the user has got by e-mail:
 * const result = await clientele.auth.logInWithCode(accountId, { challenge, code: '40718265' })
 */
export interface SignInCodesApi {
  /**
   * Sends an e-mail with a code of eight digits, and a token for a link, that sign in once within ten minutes, together
   * with the returned challenge. What was mailed to the address before is void. Resolves in the same way for every
   * address; the e-mail is sent afterwards, if an active user has the address.
   *
   * @throws ClienteleError `sign_in_method_disabled`, `mail_unavailable`, `rate_limited`; `overloaded` when too many
   *   e-mails are waiting; `account_not_found`
   */
  mailSignInCode(call: CallInput, input: MailSignInCodeInput): Promise<MailedSignInCode>
  /**
   * Signs a user in with a challenge and the code or token that was mailed for it, once; it allows five tries. The
   * address is verified by it. The first proof of an address ends everything that was there before: sessions, second
   * factors, passkeys, identities and the password. A user with a second factor other than mailed codes gets a challenge
   * for `completeMfa`. In an account whose policy requires a second factor, a user without one gets a challenge for
   * `enrolToLogIn`. Failures count per user and, if the call has it, per `clientAddress`.
   *
   * @throws ClienteleError `challenge_invalid`, `sign_in_code_invalid`, `sign_in_method_disabled`, `rate_limited`
   */
  logInWithCode(call: CallInput, input: CodeLogInInput): Promise<SignInResult>
}

export function createSignInCodesApi(services: SignInCodesServices): { auth: SignInCodesApi } {
  return {
    auth: {
      mailSignInCode: async (call, input) =>
        mailSignInCode(services, readCall(services, call), parseInput(mailSignInCodeSchema, input)),
      logInWithCode: async (call, input) =>
        logInWithCode(services, readCall(services, call), parseInput(codeLogInSchema, input)),
    },
  }
}

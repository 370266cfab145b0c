import { type CallInput, readCall } from '../../base/call/call.ts'
import { parseInput } from '../../base/input/input.ts'
import type { MfaRequired } from '../mfa/challenge-user.ts'
import type { SignedIn } from '../sessions/open-session.ts'
import { logIn, logInSchema } from './log-in.ts'
import {
  idTokenLogInSchema,
  type LogInWithIdTokenInput,
  logInWithIdToken,
} from './log-in-with-id-token.ts'
import type { SignInServices } from './services.ts'

/**
 * From a password, or an ID token of another issuer, to a session; a part of `clientele.auth`.
 *
 * @example
 * const result = await clientele.auth.logIn(accountId, { email, password })
 * if ('token' in result) console.log(`${result.user.name} is signed in for ${result.expiresIn} seconds.`)
 * else console.log(`Ask for a code of ${result.methods.join(' or ')}.`)
 */
export interface SignInApi {
  /**
   * Signs a user in with e-mail and password. Where an MFA factor is enrolled the answer is a challenge, for
   * `completeMfa`. Failures count, by user and, where the call has it, by `clientAddress`.
   *
   * @throws ClienteleError `credentials_invalid` for an unknown e-mail, a wrong password and an inactive user alike;
   *   `rate_limited`, `overloaded`
   */
  logIn(
    call: CallInput,
    input: { email: string; password: string },
  ): Promise<SignedIn | MfaRequired>
  /**
   * Signs a user in with an ID token of an issuer that the account trusts with `signIn`: the user who has its identity;
   * with `linkByEmail` of the issuer, the user who has its verified e-mail, and the identity from then on; with
   * `create: true`, a new user. A token works once. Where an MFA factor is enrolled the answer is a challenge. Refused
   * tokens of a user count, by user and, where the call has it, by `clientAddress`; those that do not verify by
   * `clientAddress` alone.
   *
   * @throws ClienteleError `token_unknown_key` for an issuer that is not trusted for it; `token_claims_invalid` for a
   *   nonce that is not right, or a missing e-mail where a user is to be made; `token_revoked` where the token has been used; the other
   *   `token_*` codes; `email_taken`, `identity_taken`, `identity_limit_reached`; `rate_limited`
   * @example
   * const result = await clientele.auth.logInWithIdToken(accountId, { idToken, nonce, create: true })
   */
  logInWithIdToken(call: CallInput, input: LogInWithIdTokenInput): Promise<SignedIn | MfaRequired>
}

export function createSignInApi(services: SignInServices): { auth: SignInApi } {
  return {
    auth: {
      logIn: async (call, input) =>
        logIn(services, readCall(services, call), parseInput(logInSchema, input)),
      logInWithIdToken: async (call, input) =>
        logInWithIdToken(services, readCall(services, call), parseInput(idTokenLogInSchema, input)),
    },
  }
}

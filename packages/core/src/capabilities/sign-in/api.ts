import { type CallInput, readCall } from '../../base/call/call.ts'
import { parseInput } from '../../base/input/input.ts'
import type { SignedIn } from '../sessions/open-session.ts'
import { logIn, logInSchema } from './log-in.ts'
import {
  idTokenLogInSchema,
  type LogInWithIdTokenInput,
  logInWithIdToken,
} from './log-in-with-id-token.ts'
import type { SignInResult } from './proceed.ts'
import { type ReauthenticateInput, reauthenticate, reauthenticateSchema } from './reauthenticate.ts'
import type { SignInServices } from './services.ts'

/**
 * Signing in with a password or with an ID token of another issuer; a part of `clientele.auth`.
 *
 * @example
 * const result = await clientele.auth.logIn(accountId, { email, password })
 * if ('token' in result) console.log(`${result.user.name} is signed in for ${result.expiresIn} seconds.`)
 * else if ('methods' in result) console.log(`Ask for a code of ${result.methods.join(' or ')}.`)
 * else console.log('Ask for another password: this one has expired.')
 */
export interface SignInApi {
  /**
   * Signs a user in with e-mail and password. If the user has an MFA factor, the result is a challenge for
   * `completeMfa`; without one, in an account whose policy requires it, a challenge for `enrolToLogIn`; with an
   * expired password, one for `changeExpiredPassword`. Failures count, per user and, if the call has it, per `clientAddress`. With the token of a remembered device there is no second
   * factor, and the result has the next token.
   *
   * @throws ClienteleError `credentials_invalid` for an unknown e-mail, a wrong password and an inactive user;
   *   `sign_in_method_disabled` in an account whose policy refuses passwords; `email_not_verified` for a right password
   *   where the policy asks for a verified address; `rate_limited`, `overloaded`
   */
  logIn(
    call: CallInput,
    input: { email: string; password: string; deviceToken?: string },
  ): Promise<SignInResult>
  /**
   * Signs a user in with an ID token of an issuer that the account trusts with `signIn`. The user is the one who has
   * the token's identity. With the issuer's `linkByEmail` it may also be the user with the token's verified e-mail, who
   * then gets the identity. With `create: true` it may be a new user. A token works once. If the user has an MFA
   * factor, the result is a challenge. Refused tokens of a user count per user and, if the call has it, per
   * `clientAddress`; tokens that do not verify count per `clientAddress` only.
   *
   * @throws ClienteleError `token_unknown_key` for an issuer that is not trusted for it; `token_claims_invalid` for a
   *   wrong nonce, or a missing e-mail of a new user; `token_revoked` when the token was used before; the other
   *   `token_*` codes; `email_taken`, `identity_taken`, `identity_limit_reached`;
   *   `sign_in_method_disabled`; `rate_limited`
   * @example
   * const result = await clientele.auth.logInWithIdToken(accountId, { idToken, nonce, create: true })
   */
  logInWithIdToken(call: CallInput, input: LogInWithIdTokenInput): Promise<SignInResult>
  /**
   * Continues a session after its user has shown a password or a second factor again: `auth_time` of the new token is
   * now, and its `amr` has what was shown. A guard with `maxAge` or `amr` asks for it. The refresh token must be the
   * latest one, and is used up. A failure counts as a failed sign-in.
   *
   * @throws ClienteleError `refresh_token_invalid`; `sign_in_method_disabled`; `credentials_invalid` for a wrong password,
   *   `two_factor_code_invalid` for a wrong code; `rate_limited`, `overloaded`
   * @example
   * const { token: recent } = await clientele.auth.reauthenticate(accountId, { refreshToken: token, password })
   */
  reauthenticate(call: CallInput, input: ReauthenticateInput): Promise<SignedIn>
}

export function createSignInApi(services: SignInServices): { auth: SignInApi } {
  return {
    auth: {
      logIn: async (call, input) =>
        logIn(services, readCall(services, call), parseInput(logInSchema, input)),
      logInWithIdToken: async (call, input) =>
        logInWithIdToken(services, readCall(services, call), parseInput(idTokenLogInSchema, input)),
      reauthenticate: async (call, input) =>
        reauthenticate(services, readCall(services, call), parseInput(reauthenticateSchema, input)),
    },
  }
}

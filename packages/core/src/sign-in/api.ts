import { type CallInput, readCall } from '../call.ts'
import { parseInput } from '../input/input.ts'
import type { MfaRequired } from '../mfa/challenge-user.ts'
import type { Services } from '../services.ts'
import type { SignedIn } from '../sessions/open-session.ts'
import { logIn, logInSchema } from './log-in.ts'

/**
 * From a password to a session; a part of `clientele.auth`.
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
}

export function createSignInApi(services: Services): { auth: SignInApi } {
  return {
    auth: {
      logIn: async (call, input) =>
        logIn(services, readCall(services, call), parseInput(logInSchema, input)),
    },
  }
}

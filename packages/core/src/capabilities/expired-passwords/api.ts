import { z } from 'zod'
import { type CallInput, readCall } from '../../base/call/call.ts'
import { readId } from '../../base/input/call-arguments.ts'
import { parseInput } from '../../base/input/input.ts'
import type { SignedIn } from '../sessions/open-session.ts'
import {
  type ChangeExpiredPasswordInput,
  changeExpiredPassword,
  changeExpiredPasswordShape,
} from './change-expired-password.ts'
import { expirePassword } from './expire-password.ts'
import type { ExpiredPasswordsServices } from './services.ts'

/**
 * Making users choose another password; a part of `clientele.users`.
 *
 * @example
 * await clientele.users.expirePassword(accountId, userId)
 */
export interface ExpirePasswordApi {
  /**
   * Makes a user choose another password at the next sign-in with it: `auth.logIn`, or `auth.completeMfa` where there is a
   * second factor, then answers with `passwordChangeRequired`. Sessions go on: end them with `sessions.revokeAll`. Without a
   * password nothing changes.
   *
   * @throws ClienteleError `user_not_found`
   */
  expirePassword(call: CallInput, userId: string): Promise<void>
}

/**
 * Signing in with a password that has expired; a part of `clientele.auth`.
 *
 * @example
 * const result = await clientele.auth.logIn(accountId, { email, password })
 * if ('passwordChangeRequired' in result) {
 *   const { challenge } = result
 *   const another = 'the new password of the user'
 *   await clientele.auth.changeExpiredPassword(accountId, { challenge, password: another })
 * }
 */
export interface ExpiredPasswordSignInApi {
  /**
   * Completes a sign-in whose password has expired with another password. Everything that ends with a password ends:
   * sessions, devices, other challenges, mailed tokens. A challenge lives five minutes and allows five tries.
   *
   * @throws ClienteleError `challenge_invalid`; `validation_failed` for a password that breaks a rule, or the old one;
   *   `sign_in_method_disabled`, `email_not_verified`, `overloaded`
   */
  changeExpiredPassword(call: CallInput, input: ChangeExpiredPasswordInput): Promise<SignedIn>
}

export function createExpiredPasswordsApi(services: ExpiredPasswordsServices): {
  users: ExpirePasswordApi
  auth: ExpiredPasswordSignInApi
} {
  const changeSchema = z.strictObject(changeExpiredPasswordShape(services.userSchemas.password))
  return {
    users: {
      expirePassword: async (call, userId) =>
        expirePassword(services, readCall(services, call), readId({ userId })),
    },
    auth: {
      changeExpiredPassword: async (call, input) =>
        changeExpiredPassword(services, readCall(services, call), parseInput(changeSchema, input)),
    },
  }
}

import { z } from 'zod'
import { completeTwoFactor, completeTwoFactorSchema } from './mfa/complete-mfa.ts'
import { logIn, logInSchema } from './sign-in/log-in.ts'
import { logOut } from './sessions/log-out.ts'
import { mailTwoFactorCode, mailTwoFactorCodeSchema } from './mfa/mail-mfa-code.ts'
import {
  confirmEmailSchema,
  mailedTokenRequestSchema,
  requestMailedToken,
  resetPassword,
  verifyEmail,
} from './email-tokens/email-tokens.ts'
import { refreshSchema, refreshSession } from './sessions/refresh-session.ts'
import {
  enrolEmailFactor,
  readSecondFactors,
  removeSecondFactors,
  renewRecoveryCodes,
} from './mfa/mfa-state.ts'
import type { Services } from './services.ts'
import { confirmTotp, confirmTotpSchema, enrolTotp } from './mfa/totp-factor.ts'
import type { UserSchemas } from './users/user-input.ts'
import { validateToken } from './tokens/validate-token.ts'
import { readAddress, readId, readOptions } from './input/call-arguments.ts'
import type { Clientele } from './clientele.ts'
import { totpOptionsSchema } from './input/call-options.ts'
import { parseArgument, parseInput } from './input/input.ts'

/** What `clientele.auth` is. */
export function assembleAuth(services: Services, schemas: UserSchemas): Clientele['auth'] {
  return {
    logIn: async (accountId, input, caller) =>
      logIn(services, readId({ accountId }), parseInput(logInSchema, input), readAddress(caller)),
    completeTwoFactor: async (accountId, input, caller) =>
      completeTwoFactor(
        services,
        readId({ accountId }),
        parseInput(completeTwoFactorSchema, input),
        readAddress(caller),
      ),
    mailTwoFactorCode: async (accountId, input) =>
      mailTwoFactorCode(
        services,
        readId({ accountId }),
        parseInput(mailTwoFactorCodeSchema, input),
      ),
    forgotPassword: async (accountId, input, caller) =>
      requestMailedToken(
        services,
        readId({ accountId }),
        'password_reset',
        parseInput(mailedTokenRequestSchema, input),
        readAddress(caller),
      ),
    resetPassword: async (accountId, input, caller) =>
      resetPassword(
        services,
        readId({ accountId }),
        parseInput(schemas.reset, input),
        readAddress(caller),
      ),
    requestEmailVerification: async (accountId, input, caller) =>
      requestMailedToken(
        services,
        readId({ accountId }),
        'email_verification',
        parseInput(mailedTokenRequestSchema, input),
        readAddress(caller),
      ),
    confirmEmail: async (accountId, input) =>
      verifyEmail(services, readId({ accountId }), parseInput(confirmEmailSchema, input)),
    refresh: async (accountId, input) =>
      refreshSession(services, readId({ accountId }), parseInput(refreshSchema, input)),
    logOut: async (accountId, input) =>
      logOut(services, readId({ accountId }), parseInput(refreshSchema, input)),
    validateToken: async (accountId, token) =>
      validateToken(services, readId({ accountId }), parseArgument('token', z.string(), token)),
  }
}

/** What `clientele.twoFactor` is. */
export function assembleTwoFactor(services: Services): Clientele['twoFactor'] {
  return {
    read: async (accountId, userId) =>
      readSecondFactors(services, readId({ accountId }), readId({ userId })),
    enrolTotp: async (accountId, userId, options) => {
      const { qrCode = false } = readOptions(totpOptionsSchema, options)
      return enrolTotp(services, readId({ accountId }), readId({ userId }), qrCode)
    },
    confirmTotp: async (accountId, userId, input) =>
      confirmTotp(
        services,
        readId({ accountId }),
        readId({ userId }),
        parseInput(confirmTotpSchema, input),
      ),
    enrolEmail: async (accountId, userId) =>
      enrolEmailFactor(services, readId({ accountId }), readId({ userId })),
    renewRecoveryCodes: async (accountId, userId) =>
      renewRecoveryCodes(services, readId({ accountId }), readId({ userId })),
    remove: async (accountId, userId) =>
      removeSecondFactors(services, readId({ accountId }), readId({ userId })),
  }
}

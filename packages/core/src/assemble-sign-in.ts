import { z } from 'zod'
import type { Clientele } from './clientele.ts'
import {
  confirmEmailSchema,
  emailTokenRequestSchema,
  requestEmailToken,
  resetPassword,
  verifyEmail,
} from './email-tokens/email-tokens.ts'
import { readAddress, readId, readOptions } from './input/call-arguments.ts'
import { totpOptionsSchema } from './input/call-options.ts'
import { parseArgument, parseInput } from './input/input.ts'
import { completeMfa, completeMfaSchema } from './mfa/complete-mfa.ts'
import { mailMfaCode, mailMfaCodeSchema } from './mfa/mail-mfa-code.ts'
import {
  enrolEmailFactor,
  readMfaState,
  removeMfaFactors,
  renewRecoveryCodes,
} from './mfa/mfa-state.ts'
import { confirmTotp, confirmTotpSchema, enrolTotp } from './mfa/totp-factor.ts'
import type { Services } from './services.ts'
import { logOut } from './sessions/log-out.ts'
import { refreshSchema, refreshSession } from './sessions/refresh-session.ts'
import { logIn, logInSchema } from './sign-in/log-in.ts'
import { validateToken } from './tokens/validate-token.ts'
import type { UserSchemas } from './users/user-input.ts'

/** What `clientele.auth` is. */
export function assembleAuth(services: Services, schemas: UserSchemas): Clientele['auth'] {
  return {
    logIn: async (accountId, input, caller) =>
      logIn(services, readId({ accountId }), parseInput(logInSchema, input), readAddress(caller)),
    completeMfa: async (accountId, input, caller) =>
      completeMfa(
        services,
        readId({ accountId }),
        parseInput(completeMfaSchema, input),
        readAddress(caller),
      ),
    mailMfaCode: async (accountId, input) =>
      mailMfaCode(services, readId({ accountId }), parseInput(mailMfaCodeSchema, input)),
    forgotPassword: async (accountId, input, caller) =>
      requestEmailToken(
        services,
        readId({ accountId }),
        'password_reset',
        parseInput(emailTokenRequestSchema, input),
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
      requestEmailToken(
        services,
        readId({ accountId }),
        'email_verification',
        parseInput(emailTokenRequestSchema, input),
        readAddress(caller),
      ),
    verifyEmail: async (accountId, input) =>
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
export function assembleMfa(services: Services): Clientele['mfa'] {
  return {
    read: async (accountId, userId) =>
      readMfaState(services, readId({ accountId }), readId({ userId })),
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
      removeMfaFactors(services, readId({ accountId }), readId({ userId })),
  }
}

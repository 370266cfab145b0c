import { z } from 'zod'
import { readCall } from './call.ts'
import type { Clientele } from './clientele.ts'
import {
  confirmEmailSchema,
  emailTokenRequestSchema,
  requestEmailToken,
  resetPassword,
  verifyEmail,
} from './email-tokens/email-tokens.ts'
import { readId, readOptions } from './input/call-arguments.ts'
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
    logIn: async (call, input) =>
      logIn(services, readCall(services, call), parseInput(logInSchema, input)),
    completeMfa: async (call, input) =>
      completeMfa(services, readCall(services, call), parseInput(completeMfaSchema, input)),
    mailMfaCode: async (call, input) =>
      mailMfaCode(services, readCall(services, call), parseInput(mailMfaCodeSchema, input)),
    forgotPassword: async (call, input) =>
      requestEmailToken(
        services,
        readCall(services, call),
        'password_reset',
        parseInput(emailTokenRequestSchema, input),
      ),
    resetPassword: async (call, input) =>
      resetPassword(services, readCall(services, call), parseInput(schemas.reset, input)),
    requestEmailVerification: async (call, input) =>
      requestEmailToken(
        services,
        readCall(services, call),
        'email_verification',
        parseInput(emailTokenRequestSchema, input),
      ),
    verifyEmail: async (call, input) =>
      verifyEmail(services, readCall(services, call), parseInput(confirmEmailSchema, input)),
    refresh: async (call, input) =>
      refreshSession(services, readCall(services, call), parseInput(refreshSchema, input)),
    logOut: async (call, input) =>
      logOut(services, readCall(services, call), parseInput(refreshSchema, input)),
    validateToken: async (call, token) =>
      validateToken(services, readCall(services, call), parseArgument('token', z.string(), token)),
  }
}

/** What `clientele.twoFactor` is. */
export function assembleMfa(services: Services): Clientele['mfa'] {
  return {
    read: async (call, userId) =>
      readMfaState(services, readCall(services, call), readId({ userId })),
    enrolTotp: async (call, userId, options) => {
      const { qrCode = false } = readOptions(totpOptionsSchema, options)
      return enrolTotp(services, readCall(services, call), readId({ userId }), qrCode)
    },
    confirmTotp: async (call, userId, input) =>
      confirmTotp(
        services,
        readCall(services, call),
        readId({ userId }),
        parseInput(confirmTotpSchema, input),
      ),
    enrolEmail: async (call, userId) =>
      enrolEmailFactor(services, readCall(services, call), readId({ userId })),
    renewRecoveryCodes: async (call, userId) =>
      renewRecoveryCodes(services, readCall(services, call), readId({ userId })),
    remove: async (call, userId) =>
      removeMfaFactors(services, readCall(services, call), readId({ userId })),
  }
}

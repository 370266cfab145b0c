import { type CallInput, readCall } from '../../base/call/call.ts'
import { readId, readOptions } from '../../base/input/call-arguments.ts'
import { totpOptionsSchema } from '../../base/input/call-options.ts'
import { parseInput } from '../../base/input/input.ts'
import type { SignedIn } from '../sessions/open-session.ts'
import { beginPasskeyMfa, type PasskeyMfaOptions } from './begin-passkey-mfa.ts'
import type { PasswordChangeRequired } from './challenge-user.ts'
import { type CompleteMfaInput, completeMfa, completeMfaSchema } from './complete-mfa.ts'
import { enrolEmailFactor } from './enrol-email-factor.ts'
import { enrolToLogIn, enrolToLogInSchema } from './enrol-to-log-in.ts'
import { challengeOnlySchema, mailMfaCode, mailMfaCodeSchema } from './mail-mfa-code.ts'
import { type MfaState, readMfaState } from './read-mfa-state.ts'
import { removeMfaFactors } from './remove-mfa-factors.ts'
import { renewRecoveryCodes } from './renew-recovery-codes.ts'
import type { MfaServices } from './services.ts'
import { confirmTotp, confirmTotpSchema, enrolTotp, type TotpEnrolment } from './totp-factor.ts'

/**
 * Multi-factor authentication (MFA). A user's factors in addition to the password: an authenticator app (RFC 6238),
 * e-mailed codes, recovery codes. Passkeys as second factors are in `clientele.passkeys`.
 *
 * @example
 * const { qrSvg } = await clientele.mfa.enrolTotp(accountId, userId, { qrCode: true })
 * const codes = await clientele.mfa.confirmTotp(accountId, userId, { code: '287082' })
 */
export interface MfaApi {
  /**
   * Reads which MFA factors a user has, and how many recovery codes are left.
   *
   * @throws ClienteleError `user_not_found`
   */
  read(call: CallInput, userId: string): Promise<MfaState>
  /**
   * Begins to enrol an authenticator app: returns its secret, which becomes active with `confirmTotp`.
   *
   * @throws ClienteleError `user_not_found`, `two_factor_already_enrolled`
   */
  enrolTotp(call: CallInput, userId: string, options?: { qrCode?: boolean }): Promise<TotpEnrolment>
  /**
   * Confirms the app with one of its codes, and returns ten recovery codes, which are shown only this time.
   *
   * @throws ClienteleError `user_not_found`, `two_factor_code_invalid`, `two_factor_not_enrolled`,
   *   `two_factor_already_enrolled`, `rate_limited`
   */
  confirmTotp(call: CallInput, userId: string, input: { code: string }): Promise<string[]>
  /**
   * Enables e-mailed codes as an MFA factor of a user.
   *
   * @throws ClienteleError `user_not_found`, `mail_unavailable`
   */
  enrolEmail(call: CallInput, userId: string): Promise<void>
  /**
   * Replaces the recovery codes by ten new ones and returns them; they are shown only this time.
   *
   * @throws ClienteleError `user_not_found`, `two_factor_not_enrolled`
   */
  renewRecoveryCodes(call: CallInput, userId: string): Promise<string[]>
  /**
   * Removes every MFA factor of a user, with recovery codes and open challenges. Passkeys that sign in on their own
   * stay.
   *
   * @throws ClienteleError `user_not_found`
   */
  remove(call: CallInput, userId: string): Promise<void>
}

/**
 * Completing a sign-in with an MFA factor; a part of `clientele.auth`.
 *
 * @example
 * const result = await clientele.auth.logIn(accountId, { email, password })
 * if ('challenge' in result) {
 *   const { challenge } = result
 *   await clientele.auth.completeMfa(accountId, { challenge, method: 'totp', code: '287082' })
 * }
 */
export interface MfaSignInApi {
  /**
   * Completes a sign-in by answering its challenge. A challenge lives five minutes and allows five tries. If the password
   * has expired, the result is a challenge for `changeExpiredPassword`.
   *
   * @throws ClienteleError `challenge_invalid`, `two_factor_code_invalid`, `passkey_invalid`, `rate_limited`
   */
  completeMfa(call: CallInput, input: CompleteMfaInput): Promise<SignedIn | PasswordChangeRequired>
  /**
   * Begins to enrol the second factor that a sign-in asks for, in an account whose policy requires one: an authenticator
   * app, whose secret is returned, or codes by e-mail, of which the first is sent. Nothing is enrolled before `completeMfa`
   * gets a right code, with the same challenge; its result has the recovery codes.
   *
   * @throws ClienteleError `challenge_invalid`, `two_factor_already_enrolled`, `mail_unavailable`, `rate_limited`;
   *   `overloaded` when too many e-mails are waiting
   * @example
   * const { otpauthUri, qrSvg } = await clientele.auth.enrolToLogIn(accountId, { challenge, method: 'totp' }, { qrCode: true })
   */
  enrolToLogIn(
    call: CallInput,
    input: { challenge: string; method: 'totp' },
    options?: { qrCode?: boolean },
  ): Promise<TotpEnrolment>
  enrolToLogIn(
    call: CallInput,
    input: { challenge: string; method: 'email'; locale?: string },
  ): Promise<undefined>
  /**
   * Creates the WebAuthn options for a user's passkeys that are second factors. `completeMfa` takes the browser's
   * response, with the same challenge and the method `passkey`.
   *
   * @throws ClienteleError `challenge_invalid`, `two_factor_not_enrolled`, `passkeys_not_configured`
   */
  beginPasskeyMfa(call: CallInput, input: { challenge: string }): Promise<PasskeyMfaOptions>
  /**
   * E-mails a code for a challenge, at most three times. Resolves before the e-mail is sent. `sendMail` gets `locale`, the
   * language (BCP 47).
   *
   * @throws ClienteleError `challenge_invalid`, `two_factor_not_enrolled`, `mail_unavailable`, `rate_limited`;
   *   `overloaded` when too many e-mails are waiting
   */
  mailMfaCode(call: CallInput, input: { challenge: string; locale?: string }): Promise<void>
}

export function createMfaApi(services: MfaServices): { mfa: MfaApi; auth: MfaSignInApi } {
  return {
    mfa: {
      read: async (call, userId) =>
        readMfaState(services, readCall(services, call), readId({ userId })),
      enrolTotp: async (call, userId, options) => {
        const { qrCode = false } = readOptions(totpOptionsSchema, options)
        return enrolTotp(services, readCall(services, call), readId({ userId }), qrCode)
      },
      confirmTotp: async (call, userId, input) => {
        const checked = parseInput(confirmTotpSchema, input)
        return confirmTotp(services, readCall(services, call), readId({ userId }), checked)
      },
      enrolEmail: async (call, userId) =>
        enrolEmailFactor(services, readCall(services, call), readId({ userId })),
      renewRecoveryCodes: async (call, userId) =>
        renewRecoveryCodes(services, readCall(services, call), readId({ userId })),
      remove: async (call, userId) =>
        removeMfaFactors(services, readCall(services, call), readId({ userId })),
    },
    auth: {
      completeMfa: async (call, input) =>
        completeMfa(services, readCall(services, call), parseInput(completeMfaSchema, input)),
      enrolToLogIn: (async (call: CallInput, input: unknown, options?: { qrCode?: boolean }) => {
        const { qrCode = false } = readOptions(totpOptionsSchema, options)
        const checked = parseInput(enrolToLogInSchema, input)
        return enrolToLogIn(services, readCall(services, call), checked, qrCode)
      }) as MfaSignInApi['enrolToLogIn'], // the method decides which result it is
      beginPasskeyMfa: async (call, input) =>
        beginPasskeyMfa(services, readCall(services, call), parseInput(challengeOnlySchema, input)),
      mailMfaCode: async (call, input) =>
        mailMfaCode(services, readCall(services, call), parseInput(mailMfaCodeSchema, input)),
    },
  }
}

import { type CallInput, readCall } from '../../base/call/call.ts'
import { readId, readOptions } from '../../base/input/call-arguments.ts'
import { totpOptionsSchema } from '../../base/input/call-options.ts'
import { parseInput } from '../../base/input/input.ts'
import type { SignedIn } from '../sessions/open-session.ts'
import { beginPasskeyMfa, type PasskeyMfaOptions } from './begin-passkey-mfa.ts'
import { type CompleteMfaInput, completeMfa, completeMfaSchema } from './complete-mfa.ts'
import { enrolEmailFactor } from './enrol-email-factor.ts'
import { mailMfaCode, mailMfaCodeSchema } from './mail-mfa-code.ts'
import { type MfaState, readMfaState } from './read-mfa-state.ts'
import { removeMfaFactors } from './remove-mfa-factors.ts'
import { renewRecoveryCodes } from './renew-recovery-codes.ts'
import type { MfaServices } from './services.ts'
import { confirmTotp, confirmTotpSchema, enrolTotp, type TotpEnrolment } from './totp-factor.ts'

/**
 * Multi-factor authentication (MFA). A user's factors beside the password: an authenticator app (RFC 6238), mailed codes,
 * recovery codes. Passkeys that stand beside the password are in `clientele.passkeys`.
 *
 * @example
 * const { qrSvg } = await clientele.mfa.enrolTotp(accountId, userId, { qrCode: true })
 * const codes = await clientele.mfa.confirmTotp(accountId, userId, { code: '287082' })
 */
export interface MfaApi {
  /**
   * Says which MFA factors a user has, and how many recovery codes are left.
   *
   * @throws ClienteleError `user_not_found`
   */
  read(call: CallInput, userId: string): Promise<MfaState>
  /**
   * Begins to enrol an authenticator app: answers with its secret, which counts once `confirmTotp` has had a code.
   *
   * @throws ClienteleError `user_not_found`, `two_factor_already_enrolled`
   */
  enrolTotp(call: CallInput, userId: string, options?: { qrCode?: boolean }): Promise<TotpEnrolment>
  /**
   * Confirms the app by a code of it, and answers with ten recovery codes, this once.
   *
   * @throws ClienteleError `user_not_found`, `two_factor_code_invalid`, `two_factor_not_enrolled`,
   *   `two_factor_already_enrolled`, `rate_limited`
   */
  confirmTotp(call: CallInput, userId: string, input: { code: string }): Promise<string[]>
  /**
   * Lets a user prove an MFA factor by a code that is mailed.
   *
   * @throws ClienteleError `user_not_found`, `mail_unavailable`
   */
  enrolEmail(call: CallInput, userId: string): Promise<void>
  /**
   * Makes ten recovery codes in the place of the old ones, and answers with them, this once.
   *
   * @throws ClienteleError `user_not_found`, `two_factor_not_enrolled`
   */
  renewRecoveryCodes(call: CallInput, userId: string): Promise<string[]>
  /**
   * Removes every MFA factor of a user, with recovery codes and open challenges. Passkeys that sign in by themselves stay.
   *
   * @throws ClienteleError `user_not_found`
   */
  remove(call: CallInput, userId: string): Promise<void>
}

/**
 * Answering the challenge of a sign-in; a part of `clientele.auth`.
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
   * Signs a user in who has answered the challenge. A challenge lives five minutes and takes five tries.
   *
   * @throws ClienteleError `challenge_invalid`, `two_factor_code_invalid`, `passkey_invalid`, `rate_limited`
   */
  completeMfa(call: CallInput, input: CompleteMfaInput): Promise<SignedIn>
  /**
   * Makes the options for a user's passkeys that are second factors; `completeMfa` takes what the browser answers, with the
   * same challenge and the method `passkey`.
   *
   * @throws ClienteleError `challenge_invalid`, `two_factor_not_enrolled`, `passkeys_not_configured`
   */
  beginPasskeyMfa(call: CallInput, input: { challenge: string }): Promise<PasskeyMfaOptions>
  /**
   * Mails a code for a challenge, at most three times. Resolves before the mail has gone out.
   *
   * @throws ClienteleError `challenge_invalid`, `two_factor_not_enrolled`, `mail_unavailable`, `rate_limited`;
   *   `overloaded` when too many mails are waiting
   */
  mailMfaCode(call: CallInput, input: { challenge: string }): Promise<void>
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
      beginPasskeyMfa: async (call, input) =>
        beginPasskeyMfa(services, readCall(services, call), parseInput(mailMfaCodeSchema, input)),
      mailMfaCode: async (call, input) =>
        mailMfaCode(services, readCall(services, call), parseInput(mailMfaCodeSchema, input)),
    },
  }
}

import { z } from 'zod'
import { type CallInput, readCall } from '../../base/call/call.ts'
import { readId, readOptions } from '../../base/input/call-arguments.ts'
import { parseInput } from '../../base/input/input.ts'
import type { Account } from '../accounts/account.ts'
import { type PasskeySettingsInput, passkeySettingsSchema } from '../accounts/passkey-settings.ts'
import type { SignedIn } from '../sessions/open-session.ts'
import {
  type BeginEnrolmentInput,
  type BegunEnrolment,
  beginEnrolment,
  beginEnrolmentSchema,
} from './begin-enrolment.ts'
import { type BegunLogIn, beginLogIn, beginLogInSchema } from './begin-log-in.ts'
import { configurePasskeys } from './configure-passkeys.ts'
import { type EnrolPasskeyInput, enrolPasskey, enrolPasskeySchema } from './enrol-passkey.ts'
import { listPasskeys } from './list-passkeys.ts'
import {
  logInWithPasskey,
  type PasskeyLogInInput,
  passkeyLogInSchema,
} from './log-in-with-passkey.ts'
import { type Passkey, renamePasskeySchema } from './passkey.ts'
import { removePasskey } from './remove-passkey.ts'
import { renamePasskey } from './rename-passkey.ts'
import type { PasskeysServices } from './services.ts'

/**
 * Users' passkeys (WebAuthn Level 3): keys on a phone, a computer or a security key, which sign in instead of a
 * password or in addition to it. They need the package `@simplewebauthn/server`, and the account's settings:
 * `accounts.setPasskeys`.
 *
 * @example
 * const { challenge, options } = await clientele.passkeys.beginEnrolment(accountId, userId)
 * // Send the options to the page. There call navigator.credentials.create({ publicKey:
 * //   PublicKeyCredential.parseCreationOptionsFromJSON(options) }), and return created = credential.toJSON()
 * const { name } = await clientele.passkeys.enrol(accountId, userId, { challenge, response: created })
 */
export interface PasskeysApi {
  /**
   * Begins to enrol a passkey: returns the options for the browser. `token`, `Bearer <JWT>`, is the user's own; the
   * account's settings may require it. The enrolment ends with the session of that token.
   *
   * @throws ClienteleError `user_not_found`, `passkeys_not_configured`, `passkey_limit_reached`; `token_missing`,
   *   `token_claims_invalid` for another user's token, and the other `token_*` codes
   */
  beginEnrolment(
    call: CallInput,
    userId: string,
    input?: BeginEnrolmentInput,
  ): Promise<BegunEnrolment>
  /**
   * Enrols the passkey that the browser has created. As `first_factor`, the default of `use`, it signs in on its own;
   * as `second_factor` it is required after the password.
   *
   * @throws ClienteleError `user_not_found`, `passkeys_not_configured`, `challenge_invalid`, `passkey_invalid`,
   *   `passkey_taken`, `passkey_limit_reached`, `token_missing`, `rate_limited`
   */
  enrol(call: CallInput, userId: string, input: EnrolPasskeyInput): Promise<Passkey>
  /**
   * Lists a user's passkeys, oldest first: at most 20.
   *
   * @throws ClienteleError `user_not_found`
   */
  list(call: CallInput, userId: string): Promise<Passkey[]>
  /**
   * Renames a passkey: 1 to 100 characters.
   *
   * @throws ClienteleError `user_not_found`, `passkey_not_found`, `validation_failed`
   */
  rename(
    call: CallInput,
    userId: string,
    passkeyId: string,
    input: { name: string },
  ): Promise<Passkey>
  /**
   * Removes a passkey from a user. The sessions that it has opened stay. With the last second factor the recovery codes end.
   *
   * @throws ClienteleError `user_not_found`, `passkey_not_found`
   */
  remove(call: CallInput, userId: string, passkeyId: string): Promise<void>
}

/**
 * Signing in with a passkey; a part of `clientele.auth`.
 *
 * @example
 * const { challenge, options } = await clientele.auth.beginPasskeyLogIn(accountId)
 * // Send the options to the page. There call navigator.credentials.get({ publicKey:
 * //   PublicKeyCredential.parseRequestOptionsFromJSON(options) }), and return used = credential.toJSON()
 * const { token, user } = await clientele.auth.logInWithPasskey(accountId, { challenge, response: used })
 */
export interface PasskeySignInApi {
  /**
   * Begins a sign-in with a passkey. With an e-mail the options name the user's passkeys, or decoys for an unknown
   * e-mail; without one the user chooses a passkey that the device knows.
   *
   * @throws ClienteleError `sign_in_method_disabled`, `passkeys_not_configured`, `validation_failed`
   */
  beginPasskeyLogIn(call: CallInput, input?: { email?: string | undefined }): Promise<BegunLogIn>
  /**
   * Signs in a user whose authenticator has verified them by a finger, a face or a PIN: no MFA factor is required in
   * addition. Failures count, per e-mail that the sign-in began with, or else per passkey, and, if the call has it, per
   * `clientAddress`.
   *
   * @throws ClienteleError `sign_in_method_disabled`, `passkeys_not_configured`, `challenge_invalid`, `rate_limited`;
   *   `passkey_invalid` for an
   *   unknown passkey, an invalid response and an inactive user
   */
  logInWithPasskey(call: CallInput, input: PasskeyLogInInput): Promise<SignedIn>
}

/**
 * The passkey settings of an account; a part of `clientele.accounts`.
 *
 * @example
 * const site = { rpId: 'example.com', rpName: 'Acme', origins: ['https://example.com'] }
 * const { passkeys } = await clientele.accounts.setPasskeys(accountId, site)
 */
export interface PasskeySettingsApi {
  /**
   * Sets the site of an account's passkeys (`rpId`, a domain), the name that browsers show, and the 1 to 20 origins of
   * its pages. With `requireToken` enrolment needs the user's own token. Passkeys of one `rpId` do not work with
   * another: while any are enrolled, changing it needs `force`.
   *
   * @throws ClienteleError `account_not_found`, `passkeys_enrolled`, `validation_failed`; `configuration_invalid` when
   *   `@simplewebauthn/server` is not installed
   */
  setPasskeys(
    call: CallInput,
    settings: PasskeySettingsInput,
    options?: { force?: boolean },
  ): Promise<Account>
}

const setOptionsSchema = z.strictObject({ force: z.boolean().optional() }).default({})

export function createPasskeysApi(services: PasskeysServices): {
  passkeys: PasskeysApi
  auth: PasskeySignInApi
  accounts: PasskeySettingsApi
} {
  return {
    passkeys: {
      beginEnrolment: async (call, userId, input = {}) => {
        const checked = parseInput(beginEnrolmentSchema, input)
        return beginEnrolment(services, readCall(services, call), readId({ userId }), checked)
      },
      enrol: async (call, userId, input) => {
        const checked = parseInput(enrolPasskeySchema, input)
        return enrolPasskey(services, readCall(services, call), readId({ userId }), checked)
      },
      list: async (call, userId) =>
        listPasskeys(services, readCall(services, call), readId({ userId })),
      rename: async (call, userId, passkeyId, input) => {
        const of = readCall(services, call)
        const id = readId({ passkeyId })
        const checked = parseInput(renamePasskeySchema, input)
        return renamePasskey(services, of, readId({ userId }), id, checked)
      },
      remove: async (call, userId, passkeyId) =>
        removePasskey(
          services,
          readCall(services, call),
          readId({ userId }),
          readId({ passkeyId }),
        ),
    },
    auth: {
      beginPasskeyLogIn: async (call, input = {}) =>
        beginLogIn(services, readCall(services, call), parseInput(beginLogInSchema, input)),
      logInWithPasskey: async (call, input) =>
        logInWithPasskey(services, readCall(services, call), parseInput(passkeyLogInSchema, input)),
    },
    accounts: {
      setPasskeys: async (call, settings, options) => {
        const { force = false } = readOptions(setOptionsSchema, options)
        const checked = parseInput(passkeySettingsSchema, settings)
        return configurePasskeys(services, readCall(services, call), checked, force)
      },
    },
  }
}

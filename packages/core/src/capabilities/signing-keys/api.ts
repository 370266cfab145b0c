import { type CallerInput, type CallInput, readCall, readCaller } from '../../base/call/call.ts'
import { readOptions, readSigningKeyId } from '../../base/input/call-arguments.ts'
import {
  type RotateAllSigningKeys,
  type RotatedAccount,
  rotateAllSigningKeys,
  rotateAllSigningKeysSchema,
} from './rotate-all-signing-keys.ts'
import type { SigningKeysServices } from './services.ts'
import {
  listSigningKeys,
  type RotateSigningKey,
  removeSigningKey,
  retireSigningKey,
  rotateSigningKey,
  rotateSigningKeySchema,
  type SigningKeyInfo,
} from './signing-keys.ts'

/**
 * The keys that sign an account's tokens. The first one is created for the account's first token.
 *
 * @example
 * const { id } = await clientele.signingKeys.rotate(accountId)
 * for (const key of await clientele.signingKeys.list(accountId)) console.log(key.id === id, key.status)
 */
export interface SigningKeysApi {
  /**
   * Lists an account's keys that sign or verify now or will soon, oldest first, without their private parts.
   *
   * @throws ClienteleError `account_not_found`
   */
  list(call: CallInput): Promise<SigningKeyInfo[]>
  /**
   * Creates a key that replaces the present signing key, and returns it. It is in the key set at once and signs 20
   * minutes later (`signingKeyPublishSeconds`), when every verifier has fetched it; with `now` it signs at once, in
   * every process. While a new key is pending, that key is returned. The old key verifies until its last token has
   * expired. The first key of an account signs at once.
   *
   * @throws ClienteleError `account_not_found`, `validation_failed`, `secret_wrong`
   */
  rotate(call: CallInput, options?: RotateSigningKey): Promise<SigningKeyInfo>
  /**
   * Stops a key from signing, after a change of `signingAlgorithm`; it verifies until its last token has expired.
   *
   * @throws ClienteleError `signing_key_not_found`
   */
  retire(call: CallInput, keyId: string): Promise<void>
  /**
   * Removes a compromised key, which revokes all of its tokens in every process at once.
   *
   * @throws ClienteleError `signing_key_not_found`
   */
  remove(call: CallInput, keyId: string): Promise<void>
  /**
   * Rotates the keys of every account that has any, one account after the other, while it is iterated. Accounts with a
   * pending key are skipped, so that it can be called again after an interruption.
   *
   * @throws ClienteleError `validation_failed`, at once; `secret_wrong`, `storage_unavailable`
   *
   * @example
   * for await (const { accountId } of clientele.signingKeys.rotateAll()) console.log(accountId)
   */
  rotateAll(options?: RotateAllSigningKeys, call?: CallerInput): AsyncIterable<RotatedAccount>
}

export function createSigningKeysApi(services: SigningKeysServices): {
  signingKeys: SigningKeysApi
} {
  return {
    signingKeys: {
      list: async (call) => listSigningKeys(services, readCall(services, call)),
      rotate: async (call, options) =>
        rotateSigningKey(
          services,
          readCall(services, call),
          readOptions(rotateSigningKeySchema, options),
        ),
      retire: async (call, keyId) =>
        retireSigningKey(services, readCall(services, call), readSigningKeyId(keyId)),
      remove: async (call, keyId) =>
        removeSigningKey(services, readCall(services, call), readSigningKeyId(keyId)),
      rotateAll: (options, call) =>
        rotateAllSigningKeys(
          services,
          readCaller(services, call),
          readOptions(rotateAllSigningKeysSchema, options),
        ),
    },
  }
}

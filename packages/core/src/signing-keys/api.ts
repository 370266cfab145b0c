import { type Caller, type CallerInput, readCaller } from '../call.ts'
import { readSigningKeyId } from '../input/call-arguments.ts'
import type { Services } from '../services.ts'
import {
  listSigningKeys,
  removeSigningKey,
  retireSigningKey,
  rotateSigningKey,
  type SigningKeyInfo,
} from './signing-keys.ts'

/**
 * The keys that sign tokens; they belong to no account. The call, which says who does it, can be left out.
 *
 * @example
 * const { id } = await clientele.signingKeys.rotate()
 * for (const key of await clientele.signingKeys.list()) console.log(key.id === id, key.status)
 */
export interface SigningKeysApi {
  /**
   * Lists the active keys and those retired ones that still verify, oldest first, never their private parts.
   *
   * @throws ClienteleError `validation_failed`, `storage_unavailable`
   */
  list(call?: CallerInput): Promise<SigningKeyInfo[]>
  /**
   * Replaces the active key, and answers with the one that signs now. The old one verifies until its last token is
   * dead. Other processes follow within seconds.
   *
   * @throws ClienteleError `validation_failed`, `storage_unavailable`
   */
  rotate(call?: CallerInput): Promise<SigningKeyInfo>
  /**
   * Ends a key's signing, after a change of `signingAlgorithm`; it verifies until its last token is dead.
   *
   * @throws ClienteleError `signing_key_not_found`
   */
  retire(keyId: string): Promise<void>
  retire(call: CallerInput, keyId: string): Promise<void>
  /**
   * Ends every token of a key that others have come to know, in every process within seconds.
   *
   * @throws ClienteleError `signing_key_not_found`
   */
  remove(keyId: string): Promise<void>
  remove(call: CallerInput, keyId: string): Promise<void>
}

type Given = [keyId: string] | [call: CallerInput, keyId: string]

/** What is about a key can come without a call. */
function readKey(services: Services, given: Given): [Caller, string] {
  const [call, keyId] = given.length === 1 ? [undefined, ...given] : given
  return [readCaller(services, call), readSigningKeyId(keyId)]
}

export function createSigningKeysApi(services: Services): { signingKeys: SigningKeysApi } {
  return {
    signingKeys: {
      list: async (call) => {
        readCaller(services, call)
        return listSigningKeys(services)
      },
      rotate: async (call) => rotateSigningKey(services, readCaller(services, call)),
      retire: async (...given: Given) => retireSigningKey(services, ...readKey(services, given)),
      remove: async (...given: Given) => removeSigningKey(services, ...readKey(services, given)),
    },
  }
}

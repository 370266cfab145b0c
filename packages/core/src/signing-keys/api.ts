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
 * The keys that sign tokens; they belong to no account.
 *
 * @example
 * const { id } = await clientele.signingKeys.rotate()
 * for (const key of await clientele.signingKeys.list()) console.log(key.id === id, key.status)
 */
export interface SigningKeysApi {
  /**
   * Lists the active keys and those retired ones that still verify, oldest first, never their private parts.
   *
   * @throws ClienteleError `storage_unavailable`
   */
  list(): Promise<SigningKeyInfo[]>
  /**
   * Replaces the active key, and answers with the one that signs now. The old one verifies until its last token is
   * dead. Other processes follow within seconds.
   *
   * @throws ClienteleError `storage_unavailable`
   */
  rotate(): Promise<SigningKeyInfo>
  /**
   * Ends a key's signing, after a change of `signingAlgorithm`; it verifies until its last token is dead.
   *
   * @throws ClienteleError `signing_key_not_found`
   */
  retire(keyId: string): Promise<void>
  /**
   * Ends every token of a key that others have come to know, in every process within seconds.
   *
   * @throws ClienteleError `signing_key_not_found`
   */
  remove(keyId: string): Promise<void>
}

export function createSigningKeysApi(services: Services): { signingKeys: SigningKeysApi } {
  return {
    signingKeys: {
      list: () => listSigningKeys(services),
      rotate: () => rotateSigningKey(services),
      retire: async (keyId) => retireSigningKey(services, readSigningKeyId(keyId)),
      remove: async (keyId) => removeSigningKey(services, readSigningKeyId(keyId)),
    },
  }
}

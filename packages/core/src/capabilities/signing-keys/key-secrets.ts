import type { Encryptor } from '../../base/crypto/encryptor.ts'
import { lowestId } from '../../base/input/id.ts'
import { reencryptPrivateJwk } from './signing-key.ts'
import type { EncryptedSigningKey, SigningKeyStore } from './store.ts'

interface KeySecretsOptions {
  repository: { signingKeys: SigningKeyStore }
  encryptor: Encryptor
}

/** Sorts behind whatever a key is encrypted under */
const end = '~'

/** Sees to it that what is encrypted can be read, and is encrypted under the first secret. */
export class KeySecrets {
  readonly #options: KeySecretsOptions
  #isChecked = false

  constructor(options: KeySecretsOptions) {
    this.#options = options
  }

  /**
   * Sees, before anything is encrypted, that signing keys which are under another secret can be decrypted: what is under
   * a secret that nobody else has could be read by no other process.
   *
   * @throws ClienteleError `secret_wrong`
   */
  async ensureChecked(): Promise<void> {
    if (this.#isChecked) return
    for await (const keys of this.#listStale()) {
      for (const key of keys) reencryptPrivateJwk(key, this.#options.encryptor)
      break
    }
    this.#isChecked = true
  }

  /**
   * Encrypts signing keys again that are under a secret other than the first, so that the old one can be dropped.
   *
   * @throws ClienteleError `secret_wrong`
   */
  async reencrypt(): Promise<void> {
    const { repository, encryptor } = this.#options
    for await (const keys of this.#listStale()) {
      for (const key of keys) {
        const { accountId, id, encryptedPrivateJwk } = key
        const encrypted = reencryptPrivateJwk(key, encryptor)
        await repository.signingKeys.reencrypt(accountId, id, encryptedPrivateJwk, encrypted)
      }
    }
    this.#isChecked = true
  }

  /** Those of all accounts, a part at a time: what is under the first secret is not walked through. */
  async *#listStale(): AsyncGenerator<EncryptedSigningKey[]> {
    const { repository, encryptor } = this.#options
    const { prefix } = encryptor
    const first = { accountId: lowestId, id: '' }
    for (const range of [
      { encryptedUnder: '', end: prefix },
      { encryptedUnder: `${prefix}${end}`, end },
    ]) {
      let after = { ...first, encryptedUnder: range.encryptedUnder }
      for (;;) {
        const keys = await repository.signingKeys.listEncrypted(after, range.end)
        const last = keys.at(-1)
        if (last === undefined) break
        yield keys
        after = last
      }
    }
  }
}

import type { Encryptor } from './encryptor.ts'

/** What is encrypted to be kept; its ciphertext is bound to that, to the account, and to what it belongs to. */
export type SecretKind = 'signing key' | 'trusted issuer' | 'webhook' | 'totp'

/** What a stored ciphertext is bound to. */
export function purposeOf(kind: SecretKind, accountId: string, id: string): string {
  return `${kind} ${accountId} ${id}`
}

/** A ciphertext, and where it is stored: the fields that are not explained are its store's to know. */
export interface StoredSecret {
  source: number
  under: string
  kind: SecretKind
  accountId: string
  id: string
  encrypted: string
}

export interface SecretStore {
  /**
   * Lists secrets of all accounts that do not begin with the prefix, a page at a time: after that one. The secrets of users
   * are found by walking through all of them: only with `ofUsers`.
   */
  listStaleSecrets(
    prefix: string,
    options: { ofUsers: boolean; after: StoredSecret | undefined },
  ): Promise<StoredSecret[]>
  /** Stores secrets of one page under another encryption, where they have not changed meanwhile. */
  replaceSecrets(
    secrets: readonly (StoredSecret & { reencrypted: string })[],
    prefix: string,
  ): Promise<void>
}

/** Sees to it that what is encrypted can be read, and is encrypted under the first secret. */
export class StoredSecrets {
  readonly #store: SecretStore
  readonly #encryptor: Encryptor
  #isChecked = false

  constructor(store: SecretStore, encryptor: Encryptor) {
    this.#store = store
    this.#encryptor = encryptor
  }

  /**
   * Sees, before anything is encrypted, that what is stored under another secret can be decrypted: what is encrypted under
   * a secret that only this process has could be read by no other.
   *
   * @throws ClienteleError `secret_wrong`
   */
  async ensureChecked(): Promise<void> {
    if (this.#isChecked) return
    const options = { ofUsers: false, after: undefined }
    const secrets = await this.#store.listStaleSecrets(this.#encryptor.prefix, options)
    for (const secret of secrets) this.#reencrypt(secret)
    this.#isChecked = true
  }

  /**
   * Encrypts again what is under a secret other than the first, so that the old one can be dropped.
   *
   * @throws ClienteleError `secret_wrong`
   */
  async reencrypt({ ofUsers }: { ofUsers: boolean }): Promise<void> {
    const { prefix } = this.#encryptor
    let after: StoredSecret | undefined
    for (;;) {
      const secrets = await this.#store.listStaleSecrets(prefix, { ofUsers, after })
      after = secrets.at(-1)
      if (after === undefined) break
      await this.#store.replaceSecrets(
        secrets.map((secret) => ({ ...secret, reencrypted: this.#reencrypt(secret) })),
        prefix,
      )
    }
    this.#isChecked = true
  }

  #reencrypt({ kind, accountId, id, encrypted }: StoredSecret): string {
    const purpose = purposeOf(kind, accountId, id)
    return this.#encryptor.encrypt(this.#encryptor.decrypt(encrypted, purpose), purpose)
  }
}

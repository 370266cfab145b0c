import type { Encryptor } from './encryptor.ts'

/** The kinds of stored secrets. A ciphertext is bound to its kind, its account and the id of its owner. */
export type SecretKind = 'signing key' | 'trusted issuer' | 'webhook' | 'totp'

/** The purpose that a stored ciphertext is bound to. */
export function purposeOf(kind: SecretKind, accountId: string, id: string): string {
  return `${kind} ${accountId} ${id}`
}

/** A ciphertext and its place in storage. Only the store interprets `source`, `under` and `id`. */
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
   * Lists secrets of all accounts whose ciphertext does not begin with the prefix, a page at a time, after the given
   * one. `ofUsers` includes the secrets of users, which needs a walk through all users.
   */
  listStaleSecrets(
    prefix: string,
    options: { ofUsers: boolean; after: StoredSecret | undefined },
  ): Promise<StoredSecret[]>
  /** Stores the re-encrypted secrets of one page, unless they have changed meanwhile. */
  replaceSecrets(
    secrets: readonly (StoredSecret & { reencrypted: string })[],
    prefix: string,
  ): Promise<void>
}

/** Checks that stored secrets can be decrypted, and re-encrypts them under the first secret. */
export class StoredSecrets {
  readonly #store: SecretStore
  readonly #encryptor: Encryptor
  #isChecked = false

  constructor(store: SecretStore, encryptor: Encryptor) {
    this.#store = store
    this.#encryptor = encryptor
  }

  /**
   * Checks that stored secrets can be decrypted, before new ones are encrypted: other processes could not read data
   * encrypted under a secret that only this process has.
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
   * Re-encrypts secrets that are not under the first secret, so that the old secret can be dropped.
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

import { setTimeout as sleep } from 'node:timers/promises'
import type { Caller } from '../call.ts'
import type { Encryptor } from '../crypto/encryptor.ts'
import { ClienteleError } from '../errors.ts'
import type { EventData } from '../events/event-types.ts'
import type { NewEvent } from '../events/new-event.ts'
import type { Repository } from '../repository.ts'
import type { Logger } from '../runtime/logger.ts'
import {
  createSigningKey,
  decryptSigningKey,
  type KeyPair,
  readSigningKey,
  reencryptPrivateJwk,
  type SigningAlgorithm,
  type SigningKey,
  type VerificationKey,
} from './signing-key.ts'
import type { SigningKeyRecord } from './store.ts'

export interface KeyRingOptions {
  repository: Repository
  encryptor: Encryptor
  clock: () => number
  algorithm: SigningAlgorithm
  /** How long a token that was just signed can still be accepted, in seconds */
  tokenLifeSeconds: number
  /** From which age on the active key is replaced, in seconds; undefined: by command only */
  maxAgeSeconds: number | undefined
  logger: Logger
  /** Makes the event of a change; without a caller, the service did it by itself */
  newEvent: <Type extends SigningKeyEvent>(
    type: Type,
    keyId: string,
    data: EventData<Type>,
    caller?: Caller,
  ) => NewEvent<Type>
  /** Tells of a change that was stored */
  emit: (event: NewEvent) => void
}

type SigningKeyEvent =
  | 'signing_key.created'
  | 'signing_key.rotated'
  | 'signing_key.retired'
  | 'signing_key.removed'

export interface KeyRotation {
  keyId: string
  previousKeyId: string
  algorithm: SigningAlgorithm
  reason: 'command' | 'age'
}

/** Other processes' changes are seen after this time at the latest, in milliseconds. */
const freshForMs = 5_000
/** So much later than its retirement a key may still have signed, in a process that had not heard of it */
const lateMs = 2 * freshForMs
/** Unknown key ids wait this long and are then looked for together, so that junk can't flood the database. */
const missPauseMs = 20

/** The signing keys as the database has them; each is decrypted when it is first needed. */
export class KeyRing {
  readonly #options: KeyRingOptions
  #keys = new Map<string, SigningKey>()
  readonly #pairs = new Map<string, KeyPair & { encrypted: string }>()
  #records = ''
  #hasDead = false
  #isChecked = false
  #loadedAt = Number.NEGATIVE_INFINITY
  #loading: Promise<void> | undefined
  #missing: Promise<void> | undefined
  #rotating: Promise<unknown> | undefined
  #generation = 0

  constructor(options: KeyRingOptions) {
    this.#options = options
  }

  /** Changes whenever a key is added, retired or removed. What was derived from an earlier generation is out of date. */
  get generation(): number {
    return this.#generation
  }

  /**
   * The key that signs now; made when there is none yet, replaced when it is older than keys may become.
   *
   * @throws ClienteleError `secret_wrong` when another process encrypted it under a secret that is not known here
   */
  async active(): Promise<SigningKey & { privateKey: VerificationKey }> {
    await this.refresh()
    if (this.#hasDead) this.#deleteExpired()
    await this.#rotateByAge()
    if (this.#findActive() === undefined) {
      await this.#addFirst()
      await this.reload()
    }
    const key = this.#findActive()
    if (key === undefined)
      throw new Error('The signing key that was just made is not in the database.')
    const { privateKey } = await this.#decrypt(key, this.#options.logger)
    if (privateKey === undefined) throw new ClienteleError('secret_wrong')
    const { repository, tokenLifeSeconds } = this.#options
    if (key.tokenLifeSeconds < tokenLifeSeconds) {
      // Before the first such token: whoever retires the key has to know how long it is needed.
      await repository.signingKeys.raiseTokenLife(key.id, tokenLifeSeconds)
      await this.#reloadAfresh()
    }
    return { ...key, privateKey }
  }

  /**
   * Retires the active key and puts a new one in its place. Of processes that do so at once, one wins.
   *
   * @returns the rotation, or undefined when another process was first
   */
  async rotate(reason: KeyRotation['reason'], caller?: Caller): Promise<KeyRotation | undefined> {
    const { repository, clock, newEvent, emit, algorithm } = this.#options
    await this.reload()
    const previous = this.#findActive()
    if (previous === undefined) {
      await this.active()
      return undefined
    }
    // Another process may have been first: its key is not old.
    if (reason === 'age' && !this.#isOld(previous)) return undefined
    const next = await this.#create()
    const data = { previousKeyId: previous.id, algorithm, reason }
    const event = newEvent('signing_key.rotated', next.id, data, caller)
    const won = await repository.signingKeys.rotate(next, previous.id, clock(), event)
    await this.#reloadAfresh()
    if (!won) return undefined
    emit(event)
    return { keyId: next.id, ...data }
  }

  /**
   * Ends a key's signing: it verifies until its last token is dead. Whoever still signs by its algorithm makes another.
   *
   * @returns whether there is such a key; one that is retired already stays as it is
   */
  async retire(id: string, caller: Caller): Promise<boolean> {
    const { repository, clock, newEvent, emit } = this.#options
    const event = newEvent('signing_key.retired', id, {}, caller)
    if (await repository.signingKeys.retire(id, clock(), event)) emit(event)
    await this.#reloadAfresh()
    return this.#keys.has(id)
  }

  /** Removes a key that has become known to others: its tokens are refused from now on, here and everywhere. */
  async remove(id: string, caller: Caller): Promise<boolean> {
    const { repository, newEvent, emit } = this.#options
    const event = newEvent('signing_key.removed', id, {}, caller)
    const removed = await repository.signingKeys.remove(id, event)
    if (removed) emit(event)
    await this.#reloadAfresh()
    return removed
  }

  /**
   * Sees that all keys can be decrypted.
   *
   * @throws ClienteleError `secret_wrong`
   */
  async check(): Promise<void> {
    await this.reload()
    await Promise.all([...this.#keys.values()].map((key) => this.#decrypt(key)))
    this.#isChecked = true
  }

  /**
   * The same before anything is encrypted, where it has not been seen at the start: what is encrypted under another
   * secret than the rest could be read by no other process.
   *
   * @throws ClienteleError `secret_wrong`
   */
  async ensureChecked(): Promise<void> {
    if (!this.#isChecked) await this.check()
  }

  /** Encrypts keys again that are under a secret other than the first, so that the old one can be dropped. */
  async reencrypt(): Promise<void> {
    const { repository, encryptor } = this.#options
    for (const { id, encryptedPrivateJwk: encrypted } of await repository.signingKeys.list()) {
      if (!encryptor.isStale(encrypted)) continue
      await repository.signingKeys.reencrypt(
        id,
        encrypted,
        reencryptPrivateJwk(id, encrypted, encryptor),
      )
    }
  }

  /**
   * The key of that id, active or retired.
   *
   * @throws ClienteleError `secret_wrong` when it has no public part and was encrypted under a secret not known here
   */
  async find(id: string): Promise<(SigningKey & KeyPair) | undefined> {
    await this.refresh()
    if (!this.#keys.has(id)) await this.#lookForMissing()
    const key = this.#keys.get(id)
    return key && { ...key, ...(await this.#decrypt(key, this.#options.logger)) }
  }

  /** Every key that can verify a token, oldest first. */
  async all(): Promise<SigningKey[]> {
    await this.refresh()
    return [...this.#keys.values()]
  }

  /** Has the keys read again when they are next asked for: another process has removed one. */
  expire(): void {
    this.#loadedAt = Number.NEGATIVE_INFINITY
  }

  /** Reads the keys again when they may be out of date. */
  async refresh(): Promise<void> {
    if (this.#options.clock() - this.#loadedAt >= freshForMs) await this.reload()
  }

  /** Reads the keys again, now. */
  reload(): Promise<void> {
    this.#loading ??= this.#load().finally(() => {
      this.#loading = undefined
    })
    return this.#loading
  }

  async #addFirst(): Promise<void> {
    const { repository, algorithm, newEvent, emit } = this.#options
    const key = await this.#create()
    const event = newEvent('signing_key.created', key.id, { algorithm })
    if (await repository.signingKeys.addFirst(key, event)) emit(event)
  }

  async #create(): Promise<SigningKeyRecord> {
    await this.ensureChecked()
    const { algorithm, encryptor, clock, tokenLifeSeconds } = this.#options
    return createSigningKey(algorithm, encryptor, { createdAt: clock(), tokenLifeSeconds })
  }

  #isOld({ createdAt }: { createdAt: number }): boolean {
    const { maxAgeSeconds, clock } = this.#options
    return maxAgeSeconds !== undefined && clock() - createdAt >= maxAgeSeconds * 1000
  }

  async #rotateByAge(): Promise<void> {
    const { logger } = this.#options
    const key = this.#findActive()
    if (key === undefined || !this.#isOld(key)) return
    this.#rotating ??= this.rotate('age')
      // An old key signs as well as a new one: nobody is kept from signing in.
      .catch((error: unknown) => logger.warn({ error }, 'The signing key could not be rotated.'))
      .finally(() => {
        this.#rotating = undefined
      })
    await this.#rotating
  }

  /** Another process may have made the key a moment ago, so that every miss is followed by a look. */
  #lookForMissing(): Promise<void> {
    this.#missing ??= sleep(missPauseMs).then(() => {
      this.#missing = undefined
      return this.#reloadAfresh()
    })
    return this.#missing
  }

  /** A load that is under way may have read before what is looked for was written. */
  async #reloadAfresh(): Promise<void> {
    await this.#loading?.catch(() => {})
    await this.reload()
  }

  #findActive(): SigningKey | undefined {
    const { algorithm } = this.#options
    return [...this.#keys.values()].find(
      (key) => key.algorithm === algorithm && key.retiredAt === null,
    )
  }

  async #load(): Promise<void> {
    const now = this.#options.clock()
    const records = await this.#options.repository.signingKeys.list()
    const live = records.filter((record) => !this.#isDead(record, now))
    this.#hasDead = live.length < records.length
    const text = JSON.stringify(live)
    if (text !== this.#records) {
      this.#keys = new Map(live.map((record) => [record.id, readSigningKey(record)]))
      for (const id of this.#pairs.keys()) if (!this.#keys.has(id)) this.#pairs.delete(id)
      this.#records = text
      this.#generation++
    }
    this.#loadedAt = now
  }

  /** Whether a retired key's last token, signed by a process that learned late of its retirement, has expired. */
  #isDead({ retiredAt, tokenLifeSeconds }: SigningKeyRecord, now: number): boolean {
    return retiredAt !== null && retiredAt + tokenLifeSeconds * 1000 <= now - lateMs
  }

  #deleteExpired(): void {
    const { repository, logger, clock } = this.#options
    this.#hasDead = false
    repository.signingKeys
      .deleteExpired(clock() - lateMs)
      .catch((error: unknown) => logger.warn({ error }, 'Dead signing keys could not be removed.'))
  }

  /** With a logger, a key that has a public part can verify though its private part is under an unknown secret. */
  async #decrypt(key: SigningKey, logger?: Logger): Promise<KeyPair> {
    const { id, encryptedPrivateJwk: encrypted } = key
    const known = this.#pairs.get(id)
    // What was decrypted stays so when another process encrypts it under a secret that this one lacks.
    if (known?.privateKey !== undefined) return known
    if (known?.encrypted === encrypted && logger !== undefined) return known
    const pair = await decryptSigningKey(key, this.#options.encryptor, logger)
    this.#pairs.set(id, { ...pair, encrypted })
    return pair
  }
}

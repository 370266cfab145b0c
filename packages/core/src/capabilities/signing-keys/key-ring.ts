import type { KeyObject } from 'node:crypto'
import { type Origin, system } from '../../base/call/call.ts'
import type { Encryptor } from '../../base/crypto/encryptor.ts'
import type { StoredSecrets } from '../../base/crypto/stored-secrets.ts'
import { ClienteleError } from '../../base/errors.ts'
import { LateCache } from '../../base/runtime/late-cache.ts'
import type { Logger } from '../../base/runtime/logger.ts'
import type { Events } from '../events/events.ts'
import { type EventMaker, newEvent } from '../events/new-event.ts'
import { findLatest, findSigner, isDead, isOfWrongClock, isPending } from './key-times.ts'
import {
  algorithmOf,
  createSigningKey,
  importPublicKey,
  readPrivateKey,
  type SigningAlgorithm,
  type VerificationKey,
} from './signing-key.ts'
import type { SigningKeyRecord, SigningKeyStore } from './store.ts'

export interface KeyRingOptions {
  repository: { signingKeys: SigningKeyStore }
  encryptor: Encryptor
  storedSecrets: StoredSecrets
  clock: () => number
  newId: () => string
  newRequestId: () => string
  algorithm: SigningAlgorithm
  /** How long a token that was just signed can still be accepted, in seconds */
  tokenLifeSeconds: number
  /** How long a new key is published before it signs, in seconds */
  publishSeconds: number
  /** The age at which a signing key is replaced, in seconds; undefined: by command only */
  maxAgeSeconds: number | undefined
  logger: Logger
  events: Events
  sealEvent: EventMaker['sealEvent']
}

/** A key that signs. */
export interface Signer {
  id: string
  algorithm: SigningAlgorithm
  privateKey: KeyObject
}

/** A key that verifies. */
export interface Verifier {
  algorithm: SigningAlgorithm
  verificationKey: VerificationKey
}

export interface RotateOptions {
  algorithm: SigningAlgorithm
  reason: 'command' | 'age'
  /** Whether the new key signs at once */
  isUrgent?: boolean
}

const maxSigners = 1_000
const maxVerifiers = 10_000

/**
 * The signing keys of all accounts. Which of them sign is read from the database for each token, so that changes by
 * other processes take effect at once. It caches only immutable data: the keys by their id, which is their thumbprint.
 */
export class KeyRing {
  readonly #options: KeyRingOptions
  readonly #privateKeys = new LateCache<KeyObject>(maxSigners)
  readonly #verifiers = new LateCache<Verifier>(maxVerifiers)
  readonly #beingMade = new Map<string, Promise<void>>()

  constructor(options: KeyRingOptions) {
    this.#options = options
  }

  /**
   * The account's present signing key; created if there is none, replaced if it is too old.
   *
   * @throws ClienteleError `account_not_found`; `secret_wrong` when another process encrypted it under a secret that is
   *   not given here
   */
  async findSigner(accountId: string): Promise<Signer> {
    const { repository, encryptor, clock, algorithm, tokenLifeSeconds } = this.#options
    let keys = await repository.signingKeys.list(accountId)
    const latest = findLatest(keys, algorithm)
    if (latest === undefined || this.#isOld(latest)) {
      await this.#makeOnce(accountId, () =>
        latest === undefined ? this.#addLatest(accountId, algorithm) : this.#rotateByAge(accountId),
      )
      keys = await repository.signingKeys.list(accountId)
    }
    const key = findSigner(keys, algorithm, clock())
    if (key === undefined) throw new Error('The signing key that was just made is gone.')
    const name = nameOf(accountId, key.id)
    const privateKey = this.#privateKeys.get(name) ?? readPrivateKey(accountId, key, encryptor)
    this.#privateKeys.set(name, privateKey)
    if (key.tokenLifeSeconds < tokenLifeSeconds) {
      // Recorded before the first such token: retiring the key needs to know how long its tokens live.
      await repository.signingKeys.raiseTokenLife(accountId, key.id, tokenLifeSeconds)
    }
    return { id: key.id, algorithm, privateKey }
  }

  /** The account's key with that id, whether or not it still signs. It may have been removed since. */
  async findVerifier(accountId: string, keyId: string): Promise<Verifier | undefined> {
    const name = nameOf(accountId, keyId)
    const known = this.#verifiers.get(name)
    if (known !== undefined) return known
    const keys = await this.#options.repository.signingKeys.list(accountId)
    const key = keys.find(({ id }) => id === keyId)
    if (key === undefined) return undefined
    const algorithm = algorithmOf(key)
    const verifier = { algorithm, verificationKey: await importPublicKey(key) }
    this.#verifiers.set(name, verifier)
    return verifier
  }

  /** The account's keys that sign or verify now or will soon, oldest first. */
  async list(accountId: string): Promise<SigningKeyRecord[]> {
    const { repository, clock } = this.#options
    const keys = await repository.signingKeys.list(accountId)
    return keys.filter((key) => !isDead(key, clock()))
  }

  /**
   * Replaces the latest key of its algorithm by a new one. If several processes do so at once, one wins. If a new key
   * is pending, nothing changes, unless it is urgent. The first key of an account signs at once.
   *
   * @returns the latest key
   * @throws ClienteleError `account_not_found`, `secret_wrong`
   */
  async rotate(
    origin: Origin,
    { algorithm, reason, isUrgent = false }: RotateOptions,
  ): Promise<SigningKeyRecord> {
    const { repository, clock, events, publishSeconds } = this.#options
    const { accountId } = origin
    const now = clock()
    const keys = await repository.signingKeys.list(accountId)
    const latest = findLatest(keys, algorithm)
    if (latest === undefined) {
      await this.#addLatest(accountId, algorithm, origin)
      const added = findLatest(await repository.signingKeys.list(accountId), algorithm)
      return added !== undefined && (!isUrgent || !isPending(added, clock()))
        ? added
        : this.rotate(origin, { algorithm, reason, isUrgent })
    }
    const isUnderWay = isPending(latest, now)
    const isDue = reason === 'age' ? this.#isOld(latest) : isUrgent || !isUnderWay
    if (!isDue) return latest
    const signsAt = isUrgent ? now : now + publishSeconds * 1000
    const next = await this.#create(accountId, algorithm, signsAt)
    const previousKeyId = (findSigner(keys, algorithm, now) ?? latest).id
    const data = { previousKeyId, algorithm, reason, signsAt: new Date(signsAt) }
    const event = newEvent(this.#options, origin, 'signing_key.rotated', next.id, data)
    if (await repository.signingKeys.rotate(accountId, next, latest.id, event)) {
      events.emit(event)
      return next
    }
    const winner = findLatest(await repository.signingKeys.list(accountId), algorithm)
    if (winner !== undefined && !(isUrgent && isPending(winner, clock()))) return winner
    return this.rotate(origin, { algorithm, reason, isUrgent })
  }

  /**
   * Adds a key of an algorithm without a latest key. If a retired key still signs, the new one takes over at its end.
   */
  async #addLatest(
    accountId: string,
    algorithm: SigningAlgorithm,
    by: Pick<Origin, 'actor' | 'requestId'> = this.#bySystem(),
  ): Promise<void> {
    const { repository, clock, events } = this.#options
    const now = clock()
    const keys = await repository.signingKeys.list(accountId)
    const signsAt = findSigner(keys, algorithm, now)?.retiredAt ?? now
    const key = await this.#create(accountId, algorithm, signsAt)
    const origin = { accountId, ...by }
    const event = newEvent(this.#options, origin, 'signing_key.created', key.id, { algorithm })
    const outcome = await repository.signingKeys.addFirst(accountId, key, event)
    if (outcome === 'account_not_found') throw new ClienteleError(outcome)
    if (outcome) events.emit(event)
  }

  async #rotateByAge(accountId: string): Promise<void> {
    const { algorithm, logger } = this.#options
    try {
      await this.rotate({ accountId, ...this.#bySystem() }, { algorithm, reason: 'age' })
    } catch (error) {
      // An old key signs as well as a new one: sign-ins must not fail.
      logger.warn({ accountId, error }, 'A signing key could not be rotated.')
    }
  }

  /** Concurrent callers wait for the same key. */
  #makeOnce(accountId: string, make: () => Promise<void>): Promise<void> {
    const underWay = this.#beingMade.get(accountId)
    if (underWay !== undefined) return underWay
    const made = make().finally(() => this.#beingMade.delete(accountId))
    this.#beingMade.set(accountId, made)
    return made
  }

  async #create(
    accountId: string,
    algorithm: SigningAlgorithm,
    signsAt: number,
  ): Promise<SigningKeyRecord> {
    const { encryptor, storedSecrets, clock, tokenLifeSeconds } = this.#options
    await storedSecrets.ensureChecked()
    const times = { createdAt: clock(), signsAt, tokenLifeSeconds }
    return createSigningKey(accountId, algorithm, encryptor, times)
  }

  #isOld(key: SigningKeyRecord): boolean {
    const { maxAgeSeconds, clock } = this.#options
    if (maxAgeSeconds === undefined) return false
    const now = clock()
    // The age of a key that was made while the clock was ahead is unknown.
    return isOfWrongClock(key, now) || now - key.signsAt >= maxAgeSeconds * 1000
  }

  #bySystem(): Pick<Origin, 'actor' | 'requestId'> {
    return { actor: system, requestId: this.#options.newRequestId() }
  }
}

function nameOf(accountId: string, keyId: string): string {
  return `${accountId} ${keyId}`
}

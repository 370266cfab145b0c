import type { KeyObject } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { type Origin, system } from '../../base/call/call.ts'
import type { Encryptor } from '../../base/crypto/encryptor.ts'
import type { StoredSecrets } from '../../base/crypto/stored-secrets.ts'
import { ClienteleError } from '../../base/errors.ts'
import type { Logger } from '../../base/runtime/logger.ts'
import type { Events } from '../events/events.ts'
import { type EventMaker, newEvent } from '../events/new-event.ts'
import { findLatest, findSigner, isDead } from './key-times.ts'
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
  /** For how long others come to know a new key before it signs, in seconds */
  publishSeconds: number
  /** From which age on a key that signs is replaced, in seconds; undefined: by command only */
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
 * The signing keys of all accounts. Which of them sign is read from the database for each token, so that whatever another
 * process does to them counts at once. Kept here is only what never changes: what a key's id, its thumbprint, stands for.
 */
export class KeyRing {
  readonly #options: KeyRingOptions
  readonly #privateKeys = new LRUCache<string, KeyObject>({ max: maxSigners })
  readonly #verifiers = new LRUCache<string, Verifier>({ max: maxVerifiers })
  readonly #beingMade = new Map<string, Promise<void>>()

  constructor(options: KeyRingOptions) {
    this.#options = options
  }

  /**
   * The account's key that signs now; made when there is none yet, replaced when it is older than keys may become.
   *
   * @throws ClienteleError `account_not_found`; `secret_wrong` when another process encrypted it under a secret that is
   *   not known here
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
      // Before the first such token: whoever retires the key has to know how long it is needed.
      await repository.signingKeys.raiseTokenLife(accountId, key.id, tokenLifeSeconds)
    }
    return { id: key.id, algorithm, privateKey }
  }

  /** The account's key of that id, whether or not it still signs. It may have been removed since. */
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

  /** The account's keys that sign or verify now or soon, oldest first. */
  async list(accountId: string): Promise<SigningKeyRecord[]> {
    const { repository, clock } = this.#options
    const keys = await repository.signingKeys.list(accountId)
    return keys.filter((key) => !isDead(key, clock()))
  }

  /**
   * Puts a new key in the place of the latest of its algorithm. Of processes that do so at once one wins, and where a new
   * key is waiting for its time already, nothing changes, unless it is urgent. The first key of an account signs at once.
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
      return added !== undefined && (!isUrgent || added.signsAt <= clock())
        ? added
        : this.rotate(origin, { algorithm, reason, isUrgent })
    }
    const isUnderWay = latest.signsAt > now
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
    if (winner !== undefined && !(isUrgent && winner.signsAt > clock())) return winner
    return this.rotate(origin, { algorithm, reason, isUrgent })
  }

  /** Adds a key where there is no latest one. It takes over when the one that signs ends, if there is such a one. */
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
      // An old key signs as well as a new one: nobody is kept from signing in.
      logger.warn({ accountId, error }, 'A signing key could not be rotated.')
    }
  }

  /** Those who need it at the same moment wait for the same key. */
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

  #isOld({ signsAt }: SigningKeyRecord): boolean {
    const { maxAgeSeconds, clock } = this.#options
    return maxAgeSeconds !== undefined && clock() - signsAt >= maxAgeSeconds * 1000
  }

  #bySystem(): Pick<Origin, 'actor' | 'requestId'> {
    return { actor: system, requestId: this.#options.newRequestId() }
  }
}

function nameOf(accountId: string, keyId: string): string {
  return `${accountId} ${keyId}`
}

import { randomBytes } from 'node:crypto'
import { calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose'
import type { Repository, SigningKeyRecord } from '../repository.ts'
import type { SecretBox } from './secret-box.ts'

export const signingAlgorithms = ['EdDSA', 'ES256', 'RS256', 'HS256'] as const

/** A JWS algorithm (RFC 7518, RFC 8037) that we sign with. */
export type SigningAlgorithm = (typeof signingAlgorithms)[number]

export interface SigningKey {
  /** Key id, `kid` in a token's header */
  id: string
  algorithm: SigningAlgorithm
  /** Absent for HS256, which has no public part. */
  publicJwk: JWK | undefined
  privateKey: VerificationKey
  verificationKey: VerificationKey
  createdAt: number
  retiredAt: number | null
}

export type VerificationKey = Awaited<ReturnType<typeof importJWK>>

export interface KeyRingOptions {
  repository: Repository
  box: SecretBox
  clock: () => number
  algorithm: SigningAlgorithm
}

/** Other processes' changes are seen after this time at the latest, in milliseconds. */
const freshForMs = 5_000
/** An unknown key id makes us look again, at most this often. */
const missPauseMs = 1_000

/** The signing keys as the database has them, decrypted. */
export class KeyRing {
  readonly #options: KeyRingOptions
  #keys = new Map<string, SigningKey>()
  #records = ''
  #loadedAt = Number.NEGATIVE_INFINITY
  #loading: Promise<void> | undefined
  #generation = 0

  constructor(options: KeyRingOptions) {
    this.#options = options
  }

  /** Changes whenever a key is added, retired or removed. What was derived from an earlier generation is out of date. */
  get generation(): number {
    return this.#generation
  }

  /** The key that signs now; made when there is none yet. */
  async active(): Promise<SigningKey> {
    await this.refresh()
    const found = this.#findActive()
    if (found !== undefined) return found
    await this.#options.repository.addFirstSigningKey(await this.create())
    await this.reload()
    const made = this.#findActive()
    if (made === undefined)
      throw new Error('The signing key that was just made is not in the database.')
    return made
  }

  /** The key of that id, active or retired. */
  async find(id: string): Promise<SigningKey | undefined> {
    await this.refresh()
    if (!this.#keys.has(id) && this.#options.clock() - this.#loadedAt >= missPauseMs)
      await this.reload()
    return this.#keys.get(id)
  }

  /** Every key that can verify a token, oldest first. */
  async all(): Promise<SigningKey[]> {
    await this.refresh()
    return [...this.#keys.values()]
  }

  /** Reads the keys again when they may be out of date. */
  async refresh(): Promise<void> {
    if (this.#options.clock() - this.#loadedAt >= freshForMs) await this.reload()
  }

  /**
   * Reads the keys again, now.
   *
   * @throws ClienteleError `secret_wrong`
   */
  reload(): Promise<void> {
    this.#loading ??= this.#load().finally(() => {
      this.#loading = undefined
    })
    return this.#loading
  }

  /** Makes a key that is not stored yet. */
  async create(): Promise<SigningKeyRecord> {
    const { algorithm, box, clock } = this.#options
    const { privateJwk, publicJwk } = await generateJwks(algorithm)
    const id = await calculateJwkThumbprint(publicJwk ?? privateJwk)
    return {
      id,
      algorithm,
      publicJwk: JSON.stringify(
        publicJwk ? { ...publicJwk, kid: id, alg: algorithm, use: 'sig' } : {},
      ),
      encryptedPrivateJwk: box.seal(JSON.stringify(privateJwk), purposeOf(id)),
      createdAt: clock(),
      retiredAt: null,
    }
  }

  #findActive(): SigningKey | undefined {
    const { algorithm } = this.#options
    return [...this.#keys.values()].find(
      (key) => key.algorithm === algorithm && key.retiredAt === null,
    )
  }

  async #load(): Promise<void> {
    const now = this.#options.clock()
    const records = await this.#options.repository.listSigningKeys()
    const text = JSON.stringify(records)
    if (text !== this.#records) {
      const keys = await Promise.all(records.map((record) => this.#import(record)))
      this.#keys = new Map(keys.map((key) => [key.id, key]))
      this.#records = text
      this.#generation++
    }
    this.#loadedAt = now
  }

  async #import(record: SigningKeyRecord): Promise<SigningKey> {
    const privateJwk = JSON.parse(
      this.#options.box.open(record.encryptedPrivateJwk, purposeOf(record.id)),
    ) as JWK
    const publicJwk = JSON.parse(record.publicJwk) as JWK // both written by create()
    const hasPublicPart = publicJwk.kty !== undefined
    return {
      id: record.id,
      algorithm: record.algorithm as SigningAlgorithm, // written by create()
      publicJwk: hasPublicPart ? publicJwk : undefined,
      privateKey: await importJWK(privateJwk, record.algorithm),
      verificationKey: await importJWK(hasPublicPart ? publicJwk : privateJwk, record.algorithm),
      createdAt: record.createdAt,
      retiredAt: record.retiredAt,
    }
  }
}

async function generateJwks(
  algorithm: SigningAlgorithm,
): Promise<{ privateJwk: JWK; publicJwk: JWK | undefined }> {
  if (algorithm === 'HS256') {
    return {
      privateJwk: { kty: 'oct', k: randomBytes(32).toString('base64url') },
      publicJwk: undefined,
    }
  }
  const { privateKey, publicKey } = await generateKeyPair(algorithm, { extractable: true })
  return { privateJwk: await exportJWK(privateKey), publicJwk: await exportJWK(publicKey) }
}

function purposeOf(keyId: string): string {
  return `signing key ${keyId}`
}

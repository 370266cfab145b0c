import { randomBytes } from 'node:crypto'
import { calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose'
import type { Encryptor } from '../crypto/encryptor.ts'
import { ClienteleError } from '../errors.ts'
import type { Logger } from '../runtime/logger.ts'
import type { SigningKeyRecord } from './store.ts'

export const signingAlgorithms = ['EdDSA', 'ES256', 'RS256', 'HS256'] as const

/** A JWS algorithm (RFC 7518, RFC 8037) that we sign with. */
export type SigningAlgorithm = (typeof signingAlgorithms)[number]

export interface SigningKey {
  /** Key id, `kid` in a token's header */
  id: string
  algorithm: SigningAlgorithm
  /** Absent for HS256, which has no public part. */
  publicJwk: JWK | undefined
  /** Absent when it was encrypted under a secret that this process does not have yet. */
  privateKey: VerificationKey | undefined
  verificationKey: VerificationKey
  createdAt: number
  retiredAt: number | null
  tokenLifeSeconds: number
}

export type VerificationKey = Awaited<ReturnType<typeof importJWK>>

/** Makes a key that is not stored yet; its id is its thumbprint (RFC 7638). */
export async function createSigningKey(
  algorithm: SigningAlgorithm,
  encryptor: Encryptor,
  times: Pick<SigningKeyRecord, 'createdAt' | 'tokenLifeSeconds'>,
): Promise<SigningKeyRecord> {
  const { privateJwk, publicJwk } = await generateJwks(algorithm)
  const id = await calculateJwkThumbprint(publicJwk ?? privateJwk)
  return {
    id,
    algorithm,
    publicJwk: JSON.stringify(
      publicJwk ? { ...publicJwk, kid: id, alg: algorithm, use: 'sig' } : {},
    ),
    encryptedPrivateJwk: encryptor.encrypt(JSON.stringify(privateJwk), purposeOf(id)),
    retiredAt: null,
    ...times,
  }
}

/**
 * Decrypts a stored key. With a logger, a key whose private part is under a secret that is not known here is told of,
 * and can still verify, if it has a public part.
 *
 * @throws ClienteleError `secret_wrong`
 */
export async function importSigningKey(
  record: SigningKeyRecord,
  encryptor: Encryptor,
  logger?: Logger,
): Promise<SigningKey> {
  const { id, algorithm, createdAt, retiredAt, tokenLifeSeconds } = record
  const publicJwk = JSON.parse(record.publicJwk) as JWK // written by createSigningKey()
  const hasPublicPart = publicJwk.kty !== undefined
  const privateJwk = openPrivateJwk(record, encryptor, hasPublicPart ? logger : undefined)
  const verificationJwk = hasPublicPart ? publicJwk : privateJwk
  if (verificationJwk === undefined) throw new ClienteleError('secret_wrong')
  return {
    id,
    algorithm: algorithm as SigningAlgorithm, // written by createSigningKey()
    publicJwk: hasPublicPart ? publicJwk : undefined,
    privateKey: privateJwk && (await importJWK(privateJwk, algorithm)),
    verificationKey: await importJWK(verificationJwk, algorithm),
    createdAt,
    retiredAt,
    tokenLifeSeconds,
  }
}

/** The private part of a key, encrypted under the first secret. */
export function reencryptPrivateJwk(
  keyId: string,
  encrypted: string,
  encryptor: Encryptor,
): string {
  return encryptor.encrypt(encryptor.decrypt(encrypted, purposeOf(keyId)), purposeOf(keyId))
}

function openPrivateJwk(
  { id, encryptedPrivateJwk }: SigningKeyRecord,
  encryptor: Encryptor,
  logger: Logger | undefined,
): JWK | undefined {
  try {
    return JSON.parse(encryptor.decrypt(encryptedPrivateJwk, purposeOf(id))) as JWK // written by createSigningKey()
  } catch (error) {
    if (logger === undefined) throw error
    logger.error(
      { keyId: id },
      'A new signing key is under a secret that this process lacks: restart it with the new secret.',
    )
    return undefined
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

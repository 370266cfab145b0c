import {
  createPrivateKey,
  createSecretKey,
  type JsonWebKeyInput,
  type KeyObject,
  randomBytes,
} from 'node:crypto'
import { calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose'
import type { Encryptor } from '../crypto/encryptor.ts'
import { ClienteleError } from '../errors.ts'
import type { Logger } from '../runtime/logger.ts'
import type { SigningKeyRecord } from './store.ts'

export const signingAlgorithms = ['EdDSA', 'ES256', 'RS256', 'HS256'] as const

/** A JWS algorithm (RFC 7518, RFC 8037) that we sign with. */
export type SigningAlgorithm = (typeof signingAlgorithms)[number]

/** A stored key, whose private part is still encrypted. */
export interface SigningKey extends Omit<SigningKeyRecord, 'algorithm' | 'publicJwk'> {
  algorithm: SigningAlgorithm
  /** Absent for HS256, which has no public part. */
  publicJwk: JWK | undefined
}

export interface KeyPair {
  /** Absent when it was encrypted under a secret that this process does not have yet. */
  privateKey: VerificationKey | undefined
  verificationKey: VerificationKey
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

/** Reads what of a stored key is not encrypted. */
export function readSigningKey(record: SigningKeyRecord): SigningKey {
  const publicJwk = JSON.parse(record.publicJwk) as JWK // written by createSigningKey()
  return {
    ...record,
    algorithm: record.algorithm as SigningAlgorithm, // written by createSigningKey()
    publicJwk: publicJwk.kty === undefined ? undefined : publicJwk,
  }
}

/**
 * Decrypts a stored key. With a logger, a key whose private part is under a secret that is not known here is told of,
 * and can still verify, if it has a public part.
 *
 * @throws ClienteleError `secret_wrong`
 */
export async function decryptSigningKey(
  key: SigningKey,
  encryptor: Encryptor,
  logger?: Logger,
): Promise<KeyPair> {
  const { algorithm, publicJwk } = key
  const privateJwk = decryptPrivateJwk(key, encryptor, publicJwk && logger)
  const verificationJwk = publicJwk ?? privateJwk
  if (verificationJwk === undefined) throw new ClienteleError('secret_wrong')
  return {
    privateKey: privateJwk && (await importJWK(privateJwk, algorithm)),
    verificationKey: await importJWK(verificationJwk, algorithm),
  }
}

/**
 * The private part of a key, as `node:crypto` takes it.
 *
 * @throws ClienteleError `secret_wrong`
 */
export function readPrivateKey(key: SigningKey, encryptor: Encryptor): KeyObject {
  const jwk = decryptPrivateJwk(key, encryptor, undefined)
  if (jwk === undefined) throw new ClienteleError('secret_wrong')
  return key.algorithm === 'HS256'
    ? createSecretKey(jwk.k ?? '', 'base64url')
    : createPrivateKey({ format: 'jwk', key: jwk as JsonWebKeyInput['key'] }) // jose's type of the same object
}

/** The private part of a key, encrypted under the first secret. */
export function reencryptPrivateJwk(
  keyId: string,
  encrypted: string,
  encryptor: Encryptor,
): string {
  return encryptor.encrypt(encryptor.decrypt(encrypted, purposeOf(keyId)), purposeOf(keyId))
}

function decryptPrivateJwk(
  { id, encryptedPrivateJwk }: SigningKey,
  encryptor: Encryptor,
  logger: Logger | undefined,
): JWK | undefined {
  try {
    return JSON.parse(encryptor.decrypt(encryptedPrivateJwk, purposeOf(id))) as JWK // written by createSigningKey()
  } catch (error) {
    const isWrongSecret = error instanceof ClienteleError && error.code === 'secret_wrong'
    if (logger === undefined || !isWrongSecret) throw error
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

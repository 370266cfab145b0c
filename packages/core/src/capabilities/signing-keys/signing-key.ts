import { createPrivateKey, type JsonWebKeyInput, type KeyObject } from 'node:crypto'
import { calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose'
import type { Encryptor } from '../../base/crypto/encryptor.ts'
import { purposeOf } from '../../base/crypto/stored-secrets.ts'
import type { SigningKeyRecord } from './store.ts'

export const signingAlgorithms = ['ES256', 'EdDSA', 'RS256'] as const

/** A JWS algorithm (RFC 7518, RFC 8037) that we sign with. */
export type SigningAlgorithm = (typeof signingAlgorithms)[number]

export type VerificationKey = Awaited<ReturnType<typeof importJWK>>

/** Creates a key that is not stored yet; its id is its thumbprint (RFC 7638). */
export async function createSigningKey(
  accountId: string,
  algorithm: SigningAlgorithm,
  encryptor: Encryptor,
  times: Pick<SigningKeyRecord, 'createdAt' | 'signsAt' | 'tokenLifeSeconds'>,
): Promise<SigningKeyRecord> {
  const { privateKey, publicKey } = await generateKeyPair(algorithm, { extractable: true })
  const publicJwk = await exportJWK(publicKey)
  const id = await calculateJwkThumbprint(publicJwk)
  const privateJwk = JSON.stringify(await exportJWK(privateKey))
  return {
    id,
    algorithm,
    publicJwk: JSON.stringify({ ...publicJwk, kid: id, alg: algorithm, use: 'sig' }),
    encryptedPrivateJwk: encryptor.encrypt(privateJwk, purposeOf('signing key', accountId, id)),
    encryptedUnder: encryptor.prefix,
    retiredAt: null,
    ...times,
  }
}

/** The public part of a stored key. */
export function readPublicJwk({ publicJwk }: Pick<SigningKeyRecord, 'publicJwk'>): JWK {
  return JSON.parse(publicJwk) as JWK // written by createSigningKey()
}

/** The algorithm of a stored key. */
export function algorithmOf({ algorithm }: Pick<SigningKeyRecord, 'algorithm'>): SigningAlgorithm {
  return algorithm as SigningAlgorithm // written by createSigningKey()
}

/** The key that verifies the tokens of a stored key. */
export async function importPublicKey(key: SigningKeyRecord): Promise<VerificationKey> {
  return importJWK(readPublicJwk(key), key.algorithm)
}

/**
 * The private part of a stored key, for `node:crypto`.
 *
 * @throws ClienteleError `secret_wrong`
 */
export function readPrivateKey(
  accountId: string,
  { id, encryptedPrivateJwk }: Pick<SigningKeyRecord, 'id' | 'encryptedPrivateJwk'>,
  encryptor: Encryptor,
): KeyObject {
  const jwk = JSON.parse(
    encryptor.decrypt(encryptedPrivateJwk, purposeOf('signing key', accountId, id)),
  )
  return createPrivateKey({ format: 'jwk', key: jwk as JsonWebKeyInput['key'] }) // written by createSigningKey()
}

import type { Caller } from '../call.ts'
import { ClienteleError } from '../errors.ts'
import type { Services } from '../services.ts'
import type { SigningAlgorithm, SigningKey } from './signing-key.ts'

/** A signing key without its private part. */
export interface SigningKeyInfo {
  /** Key id, `kid` in a token's header */
  id: string
  algorithm: SigningAlgorithm
  /** A retired key verifies until its last token is dead, and signs no more. */
  status: 'active' | 'retired'
  createdAt: Date
  retiredAt: Date | null
  /** JWK (RFC 7517); null for HS256, which has none */
  publicJwk: Readonly<Record<string, unknown>> | null
}

/** Every key that signs or verifies now, oldest first. */
export async function listSigningKeys({ keyRing }: Services): Promise<SigningKeyInfo[]> {
  await keyRing.reload()
  return (await keyRing.all()).map(describe)
}

/**
 * Makes a new key that signs from now on; the old one verifies until its last token is dead. Other processes follow
 * within seconds, and accept tokens of either key meanwhile.
 *
 * @returns the key that signs now, even when another process rotated at the same moment
 */
export async function rotateSigningKey(
  { keyRing }: Services,
  caller: Caller,
): Promise<SigningKeyInfo> {
  await keyRing.rotate('command', caller)
  return describe(await keyRing.active())
}

/**
 * Retires a key that nobody needs to sign with any more, for instance after a change of `signingAlgorithm`: it verifies
 * until its last token is dead, then leaves the JWKS. A process that still signs by its algorithm makes another key.
 *
 * @throws ClienteleError `signing_key_not_found`
 */
export async function retireSigningKey(
  { keyRing }: Services,
  caller: Caller,
  keyId: string,
): Promise<void> {
  if (!(await keyRing.retire(keyId, caller))) throw new ClienteleError('signing_key_not_found')
}

/**
 * Removes a key that has become known to others: every process refuses its tokens within seconds. Its users have to
 * sign in again, or refresh.
 *
 * @throws ClienteleError `signing_key_not_found`
 */
export async function removeSigningKey(
  { keyRing }: Services,
  caller: Caller,
  keyId: string,
): Promise<void> {
  if (!(await keyRing.remove(keyId, caller))) throw new ClienteleError('signing_key_not_found')
}

function describe({ id, algorithm, publicJwk, createdAt, retiredAt }: SigningKey): SigningKeyInfo {
  return {
    id,
    algorithm,
    status: retiredAt === null ? 'active' : 'retired',
    createdAt: new Date(createdAt),
    retiredAt: retiredAt === null ? null : new Date(retiredAt),
    publicJwk: publicJwk === undefined ? null : { ...publicJwk },
  }
}

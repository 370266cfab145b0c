import { z } from 'zod'
import { type Call, originOf } from '../../base/call/call.ts'
import { ClienteleError } from '../../base/errors.ts'
import { findAccountSettings } from '../accounts/find-account.ts'
import { newEvent } from '../events/new-event.ts'
import { type SigningKeyStatus, statusOf } from './key-times.ts'
import type { SigningKeysServices } from './services.ts'
import {
  algorithmOf,
  readPublicJwk,
  type SigningAlgorithm,
  signingAlgorithms,
} from './signing-key.ts'
import type { SigningKeyRecord } from './store.ts'

/** A signing key without its private part. */
export interface SigningKeyInfo {
  /** Key id, `kid` in a token's header */
  id: string
  algorithm: SigningAlgorithm
  /**
   * A pending key is published in the key set and does not sign yet. A retired key no longer signs, and verifies until
   * its last token has expired.
   */
  status: SigningKeyStatus
  createdAt: Date
  /** When it starts to sign */
  signsAt: Date
  /** When it stops signing, possibly in the future; null while it has no successor */
  retiredAt: Date | null
  /** JWK (RFC 7517) */
  publicJwk: Readonly<Record<string, unknown>>
}

export interface RotateSigningKey {
  /**
   * Whether the new key signs at once, as in an emergency: verifiers with a cached key set do not know it yet. @default
   * false
   */
  now?: boolean | undefined
  /** The algorithm of the new key, and of the key that it replaces. @default the configured one */
  algorithm?: SigningAlgorithm | undefined
}

export const rotateSigningKeySchema = z
  .strictObject({ now: z.boolean().optional(), algorithm: z.enum(signingAlgorithms).optional() })
  .default({})

/**
 * Every key of an account that signs or verifies now or will soon, oldest first.
 *
 * @throws ClienteleError `account_not_found`
 */
export async function listSigningKeys(
  services: SigningKeysServices,
  call: Call,
): Promise<SigningKeyInfo[]> {
  const keys = await services.keyRing.list(call.accountId)
  // Throws for an unknown id: an empty list would look like an account without keys.
  if (keys.length === 0) await findAccountSettings(services, call)
  const now = services.clock()
  return keys.map((key) => describeSigningKey(key, now))
}

/**
 * Creates a key that will replace the present signing key, which verifies until its last token has expired.
 *
 * @returns the new key, or the one that another process made at the same moment
 * @throws ClienteleError `account_not_found`, `secret_wrong`
 */
export async function rotateSigningKey(
  services: SigningKeysServices,
  call: Call,
  { now: isUrgent = false, algorithm = services.signingAlgorithm }: RotateSigningKey,
): Promise<SigningKeyInfo> {
  await findAccountSettings(services, call)
  const options = { algorithm, reason: 'command', isUrgent } as const
  const key = await services.keyRing.rotate(originOf(call), options)
  return describeSigningKey(key, services.clock())
}

/**
 * Stops a key from signing: it verifies until its last token has expired. If its algorithm is still in use, the next
 * token creates another key.
 *
 * @throws ClienteleError `signing_key_not_found`
 */
export async function retireSigningKey(
  services: SigningKeysServices,
  call: Call,
  keyId: string,
): Promise<void> {
  const { repository, keyRing, events, clock } = services
  const { accountId } = call
  const event = newEvent(services, call, 'signing_key.retired', keyId, {})
  if (await repository.signingKeys.retire(accountId, keyId, clock(), event))
    return events.emit(event)
  const keys = await keyRing.list(accountId)
  if (!keys.some(({ id }) => id === keyId)) throw new ClienteleError('signing_key_not_found')
}

/**
 * Removes a compromised key: every process refuses its tokens at once and stops signing with it. Users with such
 * tokens must sign in again, or refresh.
 *
 * @throws ClienteleError `signing_key_not_found`
 */
export async function removeSigningKey(
  services: SigningKeysServices,
  call: Call,
  keyId: string,
): Promise<void> {
  const { repository, events } = services
  const event = newEvent(services, call, 'signing_key.removed', keyId, {})
  if (!(await repository.signingKeys.remove(call.accountId, keyId, event)))
    throw new ClienteleError('signing_key_not_found')
  events.emit(event)
}

/** The public form of a key: without its private part. */
export function describeSigningKey(key: SigningKeyRecord, now: number): SigningKeyInfo {
  const { id, createdAt, signsAt, retiredAt } = key
  return {
    id,
    algorithm: algorithmOf(key),
    status: statusOf(key, now),
    createdAt: new Date(createdAt),
    signsAt: new Date(signsAt),
    retiredAt: retiredAt === null ? null : new Date(retiredAt),
    publicJwk: { ...readPublicJwk(key) },
  }
}

import { z } from 'zod'
import { type Call, originOf } from '../../base/call/call.ts'
import { ClienteleError } from '../../base/errors.ts'
import { findAccount } from '../accounts/find-account.ts'
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
   * A pending key is in the key set, so that others come to know it, and does not sign yet. A retired key verifies until
   * its last token is dead, and signs no more.
   */
  status: SigningKeyStatus
  createdAt: Date
  /** From when on it signs */
  signsAt: Date
  /** From when on it signs no more: this may be yet to come; null while it has no successor */
  retiredAt: Date | null
  /** JWK (RFC 7517) */
  publicJwk: Readonly<Record<string, unknown>>
}

export interface RotateSigningKey {
  /** Whether the new key signs at once, as in an emergency: verifiers that keep key sets do not know it yet. @default false */
  now?: boolean | undefined
  /** Of the new key, whose kind it replaces. @default the one that Clientele signs by */
  algorithm?: SigningAlgorithm | undefined
}

export const rotateSigningKeySchema = z
  .strictObject({ now: z.boolean().optional(), algorithm: z.enum(signingAlgorithms).optional() })
  .default({})

/**
 * Every key of an account that signs or verifies now or soon, oldest first.
 *
 * @throws ClienteleError `account_not_found`
 */
export async function listSigningKeys(
  services: SigningKeysServices,
  call: Call,
): Promise<SigningKeyInfo[]> {
  const keys = await services.keyRing.list(call.accountId)
  // An id that is not there is a mistake, not an account without keys.
  if (keys.length === 0) await findAccount(services, call)
  const now = services.clock()
  return keys.map((key) => describeSigningKey(key, now))
}

/**
 * Makes a key that will sign in the place of the one that signs now, which verifies until its last token is dead.
 *
 * @returns the new key, or the one that another process made at the same moment
 * @throws ClienteleError `account_not_found`, `secret_wrong`
 */
export async function rotateSigningKey(
  services: SigningKeysServices,
  call: Call,
  { now: isUrgent = false, algorithm = services.signingAlgorithm }: RotateSigningKey,
): Promise<SigningKeyInfo> {
  await findAccount(services, call)
  const options = { algorithm, reason: 'command', isUrgent } as const
  const key = await services.keyRing.rotate(originOf(call), options)
  return describeSigningKey(key, services.clock())
}

/**
 * Ends a key's signing: it verifies until its last token is dead. Whoever still signs by its algorithm makes another.
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
 * Removes a key that has become known to others: every process refuses its tokens at once, and none signs with it. Its
 * users have to sign in again, or refresh.
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

/** What is told of a key: all but its private part. */
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

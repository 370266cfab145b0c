import { createHash } from 'node:crypto'
import type { Call } from '../../base/call/call.ts'
import { Encryptor } from '../../base/crypto/encryptor.ts'
import { createOpaqueToken, hashOpaqueToken } from '../../base/crypto/opaque-token.ts'
import { ClienteleError } from '../../base/errors.ts'
import { ceremonySeconds } from './ceremony-life.ts'
import type { PasskeysServices } from './services.ts'
import type { Ceremony, CeremonyPurpose } from './store.ts'

/**
 * The challenge that the authenticator signs, in base64url: derived from the challenge that identifies the ceremony,
 * which the page need not see. Only the hash of the latter is stored, and a response is valid for its own ceremony
 * only.
 */
export function toWebAuthnChallenge(challenge: string): string {
  return createHash('sha256').update(`webauthn ${challenge}`).digest('base64url')
}

/** A ceremony with the e-mail that it began with */
export type CeremonyWithEmail = Omit<Ceremony, 'encryptedEmail'> & {
  /** Undefined: it began without one */
  email: string | undefined
}

/** Begins a ceremony. Returns its challenge; undefined when the user no longer exists. */
export async function beginCeremony(
  { repository, clock }: PasskeysServices,
  { accountId }: Call,
  { email, ...ceremony }: CeremonyWithEmail,
): Promise<string | undefined> {
  const challenge = createOpaqueToken()
  const now = clock()
  const record = {
    ...ceremony,
    encryptedEmail: email === undefined ? null : encryptorOf(challenge).encrypt(email, accountId),
    hash: hashOpaqueToken(challenge),
    expiresAt: now + ceremonySeconds * 1000,
  }
  const isBegun = await repository.passkeys.createCeremony(accountId, record)
  return isBegun ? challenge : undefined
}

/**
 * Ends a ceremony with one of these purposes before its response is verified: it allows one try.
 *
 * @throws ClienteleError `challenge_invalid`
 */
export async function endCeremony(
  { repository, clock }: PasskeysServices,
  { accountId }: Call,
  challenge: string,
  purposes: readonly CeremonyPurpose[],
): Promise<CeremonyWithEmail> {
  const hash = hashOpaqueToken(challenge)
  const ceremony = await repository.passkeys.takeCeremony(accountId, hash, purposes, clock())
  if (ceremony === undefined) throw new ClienteleError('challenge_invalid')
  const { encryptedEmail, ...others } = ceremony
  return { ...others, email: readEmail(challenge, accountId, encryptedEmail) }
}

/**
 * Encrypts under the challenge, which the database does not have: the address may be that of a person who is erased, and
 * no row would be found by it.
 */
function encryptorOf(challenge: string): Encryptor {
  return new Encryptor(() => [challenge])
}

/** @throws ClienteleError `challenge_invalid` for an address that an earlier version has encrypted */
function readEmail(
  challenge: string,
  accountId: string,
  encrypted: string | null,
): string | undefined {
  if (encrypted === null) return undefined
  try {
    return encryptorOf(challenge).decrypt(encrypted, accountId)
  } catch (cause) {
    throw new ClienteleError('challenge_invalid', undefined, { cause })
  }
}

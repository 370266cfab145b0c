import { createHash } from 'node:crypto'
import type { Call } from '../../base/call/call.ts'
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

/** Begins a ceremony. Returns its challenge; undefined when the user no longer exists. */
export async function beginCeremony(
  { repository, clock }: PasskeysServices,
  { accountId }: Call,
  ceremony: Ceremony,
): Promise<string | undefined> {
  const challenge = createOpaqueToken()
  const now = clock()
  const record = {
    ...ceremony,
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
): Promise<Ceremony> {
  const hash = hashOpaqueToken(challenge)
  const ceremony = await repository.passkeys.takeCeremony(accountId, hash, purposes, clock())
  if (ceremony === undefined) throw new ClienteleError('challenge_invalid')
  return ceremony
}

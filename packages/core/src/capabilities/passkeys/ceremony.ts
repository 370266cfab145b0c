import { createHash } from 'node:crypto'
import type { Call } from '../../base/call/call.ts'
import { createOpaqueToken, hashOpaqueToken } from '../../base/crypto/opaque-token.ts'
import { ClienteleError } from '../../base/errors.ts'
import type { PasskeysServices } from './services.ts'
import type { Ceremony, CeremonyPurpose } from './store.ts'

/** How long somebody may take to make or use a passkey, in seconds. */
export const ceremonySeconds = 300

/**
 * What the authenticator signs, in base64url: made of the challenge that names the ceremony, which the page need not see. So
 * nothing is kept but the hash of that, and what was made for one ceremony serves no other.
 */
export function toWebAuthnChallenge(challenge: string): string {
  return createHash('sha256').update(`webauthn ${challenge}`).digest('base64url')
}

/** Begins a ceremony. Answers with its challenge; undefined where the user does not exist any more. */
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
 * Ends a ceremony that serves one of these purposes, before its response is looked at: it is good for one try.
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

import type { Call } from '../../base/call/call.ts'
import { hashOpaqueToken } from '../../base/crypto/opaque-token.ts'
import { ClienteleError } from '../../base/errors.ts'
import { assertSignInAllowed } from '../accounts/assert-sign-in.ts'
import type { MfaServices } from './services.ts'
import type { FoundChallenge } from './store.ts'

/**
 * Finds the challenge of a sign-in that the account's policy still allows.
 *
 * @throws ClienteleError `challenge_invalid`, `sign_in_method_disabled`, `email_not_verified`
 */
export async function findChallenge(
  { repository, clock }: MfaServices,
  { accountId }: Call,
  challenge: string,
): Promise<FoundChallenge> {
  const hash = hashOpaqueToken(challenge)
  const found = await repository.mfa.findChallenge(accountId, hash, clock())
  if (found === undefined) throw new ClienteleError('challenge_invalid')
  assertSignInAllowed(found.policy.rules, found.amr, found.isEmailVerified)
  return found
}

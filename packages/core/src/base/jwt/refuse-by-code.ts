import { errors, type JWTPayload } from 'jose'
import { ClienteleError, type TokenErrorCode } from '../errors.ts'

/** How far the clocks of signer and verifier may differ, in seconds. It lengthens no token of ours. */
export const leewaySeconds = 5

/** Runs jose and answers with our codes: whatever a token throws is an invalid token, never a fault of ours. */
export async function refuseByCode(
  verify: () => Promise<{ payload: JWTPayload }>,
): Promise<JWTPayload> {
  try {
    const { payload } = await verify()
    return payload
  } catch (error) {
    if (error instanceof ClienteleError) throw error
    throw new ClienteleError(codeFor(error), undefined, { cause: error })
  }
}

function codeFor(error: unknown): TokenErrorCode {
  if (error instanceof errors.JWTExpired) return 'token_expired'
  if (error instanceof errors.JWTClaimValidationFailed) {
    const isEarly = error.claim === 'nbf' && error.reason === 'check_failed'
    return isEarly ? 'token_not_yet_valid' : 'token_claims_invalid'
  }
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'token_signature_invalid'
  if (error instanceof errors.JOSEAlgNotAllowed) return 'token_unknown_key'
  return 'token_malformed'
}

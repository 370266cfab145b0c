import { errors, type JWTPayload } from 'jose'
import { ClienteleError, type TokenErrorCode } from '../errors.ts'

/** The tolerated clock difference between signer and verifier, in seconds. It does not lengthen our own tokens. */
export const leewaySeconds = 5

/** Runs jose and translates its errors: an error about a token becomes an invalid token, never a fault of ours. */
export async function refuseByCode(
  verify: () => Promise<{ payload: JWTPayload }>,
): Promise<JWTPayload> {
  try {
    const { payload } = await verify()
    return payload
  } catch (error) {
    if (error instanceof ClienteleError) throw error
    throw new ClienteleError(codeFor(error), describeIssuer(error), { cause: error })
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

/** jose compares the issuer after the signature: one of our keys has signed the token. */
function describeIssuer(error: unknown): string | undefined {
  const isClaim = error instanceof errors.JWTClaimValidationFailed && error.claim === 'iss'
  if (!isClaim || error.reason !== 'check_failed') return undefined
  return "The token's issuer (iss) is another one than the account's: has the service's public URL changed since?"
}

import { ClienteleError, type TokenErrorCode } from '../errors.ts'

/** Why a token is not valid: every code that there is. */
export const tokenErrorCodes = Object.keys({
  token_malformed: true,
  token_signature_invalid: true,
  token_expired: true,
  token_not_yet_valid: true,
  token_claims_invalid: true,
  token_unknown_key: true,
  token_revoked: true,
  token_user_not_found: true,
  token_user_inactive: true,
} satisfies Record<TokenErrorCode, true>) as TokenErrorCode[] // its own keys

/** What work with a token came to, or why the token is not valid. */
export type OrTokenError<T> = { value: T } | { code: TokenErrorCode }

/** Answers with the code where work finds that a token is not valid. What else goes wrong is thrown. */
export async function catchTokenError<T>(work: () => T | Promise<T>): Promise<OrTokenError<T>> {
  try {
    return { value: await work() }
  } catch (error) {
    const found = error instanceof ClienteleError ? error.code : undefined
    const code = tokenErrorCodes.find((each) => each === found)
    if (code === undefined) throw error
    return { code }
  }
}

/** Why a token was refused. All codes except the last are Clientele's own. */
export type ValidatorErrorCode =
  | 'token_malformed'
  | 'token_signature_invalid'
  | 'token_expired'
  | 'token_not_yet_valid'
  | 'token_claims_invalid'
  | 'token_unknown_key'
  | 'token_revoked'
  | 'token_user_not_found'
  | 'token_user_inactive'
  | 'scope_insufficient'
  | 'reauthentication_required'
  | 'impersonation_refused'
  | 'validator_unavailable'

const messages: Record<ValidatorErrorCode, string> = {
  token_malformed: 'The token is not a well-formed JWT.',
  token_signature_invalid: "The token's signature does not verify.",
  token_expired: 'The token has expired.',
  token_not_yet_valid: 'The token is not valid yet.',
  token_claims_invalid: "One of the token's claims is missing or not accepted.",
  token_unknown_key: 'No known key of the issuer can verify the token.',
  token_revoked: 'The token has been revoked.',
  token_user_not_found: "The token's user does not exist in this account.",
  token_user_inactive: "The token's user is deactivated.",
  scope_insufficient: 'The token is valid, but lacks a scope that this needs.',
  reauthentication_required:
    'The token is valid, but its user has to show a password or a second factor again.',
  impersonation_refused:
    'The token is valid, but it is of a person who acts as its user, and only the user may do this.',
  validator_unavailable: 'The token cannot be validated at the moment: try again shortly.',
}

export function isTokenCode(code: unknown): code is ValidatorErrorCode {
  return typeof code === 'string' && code.startsWith('token_') && Object.hasOwn(messages, code)
}

/**
 * The reason is in `code`: with `token_*` the token is not valid; with `scope_insufficient` it is valid, but lacks a scope;
 * with `reauthentication_required` it is valid, but not recent or strong enough; with `impersonation_refused` it is valid,
 * but a person who acts as its user holds it; with `validator_unavailable` its validity is unknown.
 */
export class ValidatorError extends Error {
  override readonly name = 'ValidatorError'
  readonly code: ValidatorErrorCode

  /** @param detail the text after the code's own sentence */
  constructor(code: ValidatorErrorCode, options?: ErrorOptions, detail = '') {
    super(messages[code] + detail, options)
    this.code = code
  }
}

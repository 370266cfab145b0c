import { ClienteleError, type ErrorCode, type HttpErrorCode } from '../base/errors.ts'
import { STATUS_CODES } from '../base/runtime/node-http.ts'
import type { HttpResponse } from './message.ts'

/** The status of every code: the only such table. */
export const statusByCode: Record<HttpErrorCode, number> = {
  malformed_json: 400,
  header_repeated: 400,
  header_invalid: 400,
  api_key_missing: 401,
  api_key_invalid: 401,
  token_malformed: 401,
  token_signature_invalid: 401,
  token_expired: 401,
  token_not_yet_valid: 401,
  token_claims_invalid: 401,
  token_unknown_key: 401,
  token_revoked: 401,
  token_user_not_found: 401,
  token_user_inactive: 401,
  credentials_invalid: 401,
  passkey_invalid: 401,
  two_factor_code_invalid: 401,
  challenge_invalid: 401,
  refresh_token_invalid: 401,
  reset_token_invalid: 401,
  verification_token_invalid: 401,
  token_missing: 401,
  console_session_missing: 401,
  console_link_invalid: 401,
  scope_insufficient: 403,
  console_request_forged: 403,
  console_operator_required: 403,
  account_disabled: 403,
  role_required: 403,
  user_not_found: 404,
  account_not_found: 404,
  session_not_found: 404,
  identity_not_found: 404,
  passkey_not_found: 404,
  webhook_not_found: 404,
  api_key_not_found: 404,
  signing_key_not_found: 404,
  issuer_not_found: 404,
  route_not_found: 404,
  method_not_allowed: 405,
  email_taken: 409,
  idempotency_in_progress: 409,
  two_factor_already_enrolled: 409,
  two_factor_not_enrolled: 409,
  mail_unavailable: 409,
  identity_taken: 409,
  identity_limit_reached: 409,
  passkey_taken: 409,
  passkey_limit_reached: 409,
  passkeys_not_configured: 409,
  webhook_limit_reached: 409,
  webhook_inactive: 409,
  issuer_taken: 409,
  passkeys_enrolled: 409,
  cursor_expired: 410,
  precondition_failed: 412,
  body_too_large: 413,
  media_type_unsupported: 415,
  validation_failed: 422,
  idempotency_key_reused: 422,
  rate_limited: 429,
  internal_error: 500,
  storage_unavailable: 503,
  overloaded: 503,
  validator_unavailable: 503,
}

export const problemType = 'application/problem+json; charset=utf-8'

export function isHttpErrorCode(code: ErrorCode): code is HttpErrorCode {
  return Object.hasOwn(statusByCode, code)
}

/** Whether a code says that what a path names does not exist. */
export function isAbsentCode(code: string): code is HttpErrorCode {
  return Object.hasOwn(statusByCode, code) && statusByCode[code as HttpErrorCode] === 404 // looked at just before
}

/** Renders an error as problem details (RFC 9457). `extension` adds members of its own. */
export function renderProblem(
  error: ClienteleError,
  extension: Record<string, unknown> = {},
): HttpResponse {
  const known = isHttpErrorCode(error.code) ? error : new ClienteleError('internal_error')
  const code = known.code as HttpErrorCode // looked at in the line above
  const status = statusByCode[code]
  const headers: Record<string, string> = {
    'content-type': problemType,
    'cache-control': 'no-store',
    ...known.headers,
  }
  if (code === 'api_key_missing' || code === 'api_key_invalid')
    headers['www-authenticate'] ??= 'Bearer'
  if (known.retryAfterSeconds !== undefined)
    headers['retry-after'] = String(Math.ceil(known.retryAfterSeconds))
  const problem = {
    type: `urn:clientele:problem:${code}`,
    title: STATUS_CODES[status],
    status,
    detail: known.detail,
    code,
    ...(known.issues.length > 0 ? { errors: known.issues } : {}),
    ...extension,
  }
  return { status, headers, body: JSON.stringify(problem) }
}

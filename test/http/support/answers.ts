import type { ClientUser, HttpErrorCode, Scope, Wire } from '@clientele/core'
import { requestId } from './send.ts'

export interface Answer {
  status: number
  /** All of them, but for the host's own */
  headers: Record<string, string>
  body: string | RegExp
}

export const json = 'application/json; charset=utf-8'
const problemJson = 'application/problem+json; charset=utf-8'

/** What a caller sees of each code: status, title, detail. */
const problems: Partial<Record<HttpErrorCode, [status: number, title: string, detail: string]>> = {
  internal_error: [500, 'Internal Server Error', 'Something went wrong on our side.'],
  malformed_json: [400, 'Bad Request', 'The body is not valid JSON in UTF-8.'],
  header_repeated: [
    400,
    'Bad Request',
    'The request has more than one Authorization or Idempotency-Key header.',
  ],
  header_invalid: [
    400,
    'Bad Request',
    'Send If-Match and If-None-Match as quoted ETags, separated by commas, or as * alone, and Idempotency-Key as 1 to 255 visible characters of ASCII, bare or quoted.',
  ],
  api_key_missing: [401, 'Unauthorized', 'Send an API key: Authorization: Bearer <API_KEY>.'],
  api_key_invalid: [401, 'Unauthorized', 'The API key is not valid.'],
  token_malformed: [401, 'Unauthorized', 'The token is not a well-formed JWT.'],
  token_signature_invalid: [401, 'Unauthorized', "The token's signature does not verify."],
  token_expired: [401, 'Unauthorized', 'The token has expired.'],
  token_not_yet_valid: [401, 'Unauthorized', 'The token is not valid yet.'],
  token_claims_invalid: [
    401,
    'Unauthorized',
    "One of the token's claims is missing or not accepted.",
  ],
  token_unknown_key: [
    401,
    'Unauthorized',
    'No known key of an accepted issuer can verify the token.',
  ],
  token_revoked: [401, 'Unauthorized', 'The token has been revoked.'],
  token_user_not_found: [401, 'Unauthorized', "The token's user does not exist in this account."],
  token_user_inactive: [401, 'Unauthorized', "The token's user is deactivated."],
  credentials_invalid: [
    401,
    'Unauthorized',
    'The e-mail or the password is wrong, or the user cannot sign in.',
  ],
  passkey_invalid: [
    401,
    'Unauthorized',
    'The passkey is not known, not the right one, or its response does not verify.',
  ],
  two_factor_code_invalid: [
    401,
    'Unauthorized',
    'The code is wrong, has been used, or has expired.',
  ],
  challenge_invalid: [
    401,
    'Unauthorized',
    'The challenge is unknown, used up or expired: sign in again.',
  ],
  refresh_token_invalid: [
    401,
    'Unauthorized',
    'The refresh token is unknown, used up or expired: sign in again.',
  ],
  reset_token_invalid: [
    401,
    'Unauthorized',
    'The token is unknown, used up or expired: ask for a new one.',
  ],
  verification_token_invalid: [
    401,
    'Unauthorized',
    'The token is unknown, used up or expired: ask for a new one.',
  ],
  token_missing: [401, 'Unauthorized', "Send the user's token: Authorization: Bearer <JWT>."],
  scope_insufficient: [403, 'Forbidden', ''],
  role_required: [403, 'Forbidden', 'The user has none of the roles that may do this.'],
  user_not_found: [404, 'Not Found', 'No such user.'],
  account_not_found: [404, 'Not Found', 'No such account.'],
  identity_not_found: [404, 'Not Found', 'No such identity.'],
  passkey_not_found: [404, 'Not Found', 'No such passkey.'],
  passkey_limit_reached: [409, 'Conflict', 'The user has twenty passkeys: remove one first.'],
  passkeys_not_configured: [
    409,
    'Conflict',
    'This account has not said which site its passkeys are for.',
  ],
  identity_taken: [409, 'Conflict', 'Another user of this account has this identity.'],
  identity_limit_reached: [409, 'Conflict', 'The user has twenty identities: unlink one first.'],
  webhook_not_found: [404, 'Not Found', 'No such webhook.'],
  webhook_limit_reached: [409, 'Conflict', 'This account has ten webhooks: delete one first.'],
  webhook_inactive: [409, 'Conflict', 'The webhook is switched off: set is_active to true first.'],
  route_not_found: [404, 'Not Found', 'No such route.'],
  method_not_allowed: [405, 'Method Not Allowed', 'The route does not have this method.'],
  session_not_found: [404, 'Not Found', 'No such session.'],
  two_factor_already_enrolled: [
    409,
    'Conflict',
    'The user has this second factor already: remove it first.',
  ],
  two_factor_not_enrolled: [409, 'Conflict', 'The user has no second factor to act on.'],
  mail_unavailable: [409, 'Conflict', 'The service has no way to send mail.'],
  rate_limited: [429, 'Too Many Requests', 'Too many attempts: try again later.'],
  email_taken: [409, 'Conflict', 'Another user of this account has this e-mail address.'],
  idempotency_key_reused: [
    422,
    'Unprocessable Entity',
    'This Idempotency-Key came with another request before: use a new one.',
  ],
  precondition_failed: [
    412,
    'Precondition Failed',
    'The user has changed since: If-Match does not match its ETag.',
  ],
  body_too_large: [413, 'Payload Too Large', 'The body is larger than 64 KiB.'],
  media_type_unsupported: [
    415,
    'Unsupported Media Type',
    'Send the body as application/json in UTF-8, without a content encoding.',
  ],
  validation_failed: [
    422,
    'Unprocessable Entity',
    'The input breaks the rules that are listed in errors.',
  ],
}

/** Problem details, to the letter. */
export function problem(
  code: HttpErrorCode,
  more: { headers?: Record<string, string>; members?: object; detail?: string } = {},
): Answer {
  const [status, title, detail] = problems[code] ?? [0, '', '']
  const challenge = code.startsWith('api_key_') ? { 'www-authenticate': 'Bearer' } : {}
  return {
    status,
    headers: {
      'content-type': problemJson,
      'cache-control': 'no-store',
      ...requestId,
      ...challenge,
      ...more.headers,
    },
    body: JSON.stringify({
      type: `urn:clientele:problem:${code}`,
      title,
      status,
      detail: more.detail ?? detail,
      code,
      ...more.members,
    }),
  }
}

/** What a key without the scope is answered. */
export function lacking(scope: Scope): Answer {
  const detail = `The API key lacks the scope ${scope}, which this operation needs.`
  return problem('scope_insufficient', { detail })
}

export function notAllowed(allow: string): Answer {
  return problem('method_not_allowed', { headers: { allow } })
}

/** `validation_failed`; each issue is pointer, code, message. */
export function invalid(...issues: [pointer: string, code: string, message: string][]): Answer {
  const errors = issues.map(([pointer, code, message]) => ({ pointer, code, message }))
  return problem('validation_failed', { members: { errors } })
}

export function invalidToken(code: HttpErrorCode): Answer {
  return problem(code, { members: { isValid: false } })
}

/** A user as HTTP answers with it */
export type WireUser = Wire<ClientUser>

/** A user as JSON: these fields in this order. */
export function renderUser(user: Partial<WireUser>): string {
  const { id, email, name, roles = [], metadata = {}, is_active = true } = user
  const { created_at = time, updated_at = created_at } = user
  return JSON.stringify({
    ...{ id: id ?? '<id>', email, name, roles, metadata },
    ...{ is_active, created_at, updated_at },
  })
}

/** What the clock says until a case moves it. */
export const time = '2026-05-05T23:41:45.619Z'
/** A second after it */
export const later = '2026-05-05T23:41:46.619Z'

export function oneUser(
  user: Partial<WireUser>,
  version = 1,
  more: { status?: number; headers?: Record<string, string> } = {},
): Answer {
  return {
    status: more.status ?? 200,
    headers: {
      'content-type': json,
      'cache-control': 'no-store',
      ...requestId,
      etag: `"${version}"`,
      ...more.headers,
    },
    body: renderUser(user),
  }
}

export function created(user: Partial<WireUser>): Answer {
  return oneUser(user, 1, { status: 201, headers: { location: '<prefix>/client/user/<id>' } })
}

export const noContent: Answer = {
  status: 204,
  headers: { 'cache-control': 'no-store', ...requestId },
  body: '',
}

export function plain(body: string | RegExp, headers: Record<string, string> = {}): Answer {
  return {
    status: 200,
    headers: { 'content-type': json, 'cache-control': 'no-store', ...requestId, ...headers },
    body,
  }
}

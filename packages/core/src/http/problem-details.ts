import {
  ClienteleError,
  type ErrorCode,
  getHttpStatus,
  type HttpErrorCode,
} from '../base/errors.ts'
import { STATUS_CODES } from '../base/runtime/node-http.ts'
import type { HttpResponse } from './message.ts'

export const problemType = 'application/problem+json; charset=utf-8'

export function isHttpErrorCode(code: ErrorCode): code is HttpErrorCode {
  return getHttpStatus(code) !== undefined
}

/** Whether a code means that the resource in the path does not exist. */
export function isAbsentCode(code: string): code is HttpErrorCode {
  return getHttpStatus(code) === 404
}

/** Renders an error as problem details (RFC 9457). `extension` adds members of its own. */
export function renderProblem(
  error: ClienteleError,
  extension: Record<string, unknown> = {},
): HttpResponse {
  const known = isHttpErrorCode(error.code) ? error : new ClienteleError('internal_error')
  const code = known.code as HttpErrorCode // checked in the line above
  const status = getHttpStatus(code)
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

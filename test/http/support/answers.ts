import { readFileSync } from 'node:fs'
import { STATUS_CODES } from 'node:http'
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

/** What a caller sees of each code, as ERRORS.md promises it. */
const errorReference = readFileSync(
  new URL('../../../packages/core/ERRORS.md', import.meta.url),
  'utf8',
)
const problems = new Map(
  [...errorReference.matchAll(/^\| (\d{3}) \| `(\w+)` \| (.+) \|$/gm)].map(
    ([, status, code = '', detail]) => [code, { status: Number(status), detail }],
  ),
)

/** Problem details, to the letter. */
export function problem(
  code: HttpErrorCode,
  more: { headers?: Record<string, string>; members?: object; detail?: string } = {},
): Answer {
  const { status = 0, detail } = problems.get(code) ?? {}
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
      title: STATUS_CODES[status],
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

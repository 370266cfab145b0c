import type { ZodOpenApiResponsesObject } from 'zod-openapi'
import {
  ClienteleError,
  getHttpStatus,
  type HttpErrorCode,
  type InputIssue,
  invalidInput,
} from '../base/errors.ts'
import { STATUS_CODES } from '../base/runtime/node-http.ts'
import type { HeaderName } from '../http/header-fields.ts'
import type { BodyFault } from '../http/message.ts'
import { problemType, renderProblem } from '../http/problem-details.ts'
import { createBodyError } from '../http/read-body.ts'
import { type Route, requestHeadersOf, takesIdempotencyKey } from '../http/route.ts'
import { type Components, describeHeaders } from './describe-headers.ts'

/** The codes that every route with an API key can answer with. */
const commonErrors: readonly HttpErrorCode[] = [
  'header_repeated',
  'api_key_missing',
  'api_key_invalid',
  'scope_insufficient',
  'storage_unavailable',
  'overloaded',
  'internal_error',
]
const hookErrors: readonly HttpErrorCode[] = ['refused_by_hook', 'hook_failed', 'hook_unavailable']
const bodyErrors: readonly BodyFault[] = [
  'malformed_json',
  'body_too_large',
  'media_type_unsupported',
]

const headersByCode: Partial<Record<HttpErrorCode, readonly HeaderName[]>> = {
  api_key_missing: ['WWW-Authenticate'],
  api_key_invalid: ['WWW-Authenticate'],
  method_not_allowed: ['Allow'],
  idempotency_in_progress: ['Retry-After'],
  rate_limited: ['Retry-After', 'RateLimit', 'RateLimit-Policy'],
  storage_unavailable: ['Retry-After'],
  overloaded: ['Retry-After'],
  hook_unavailable: ['Retry-After'],
}

const issueExample: InputIssue = {
  pointer: '/name',
  code: 'too_short',
  message: 'must have at least 2 characters',
}

/** The problems of a route, by status. */
export function describeProblems(route: Route, components: Components): ZodOpenApiResponsesObject {
  const byStatus = Map.groupBy(listCodes(route), (code) => getHttpStatus(code))
  const entries = [...byStatus].map(([status, codes]) => {
    const examples = codes.map((code) => [code, shareExample(code, route, components)])
    const [type = ''] = problemType.split(';')
    return [
      String(status),
      {
        description: `${STATUS_CODES[status]}: ${codes.map((code) => `\`${code}\``).join(', ')}`,
        headers: describeHeaders(
          codes.flatMap((code) => headersByCode[code] ?? []),
          components,
        ),
        content: {
          [type]: {
            schema: { $ref: '#/components/schemas/Problem' },
            examples: Object.fromEntries(examples),
          },
        },
      },
    ]
  })
  return Object.fromEntries(entries)
}

/** Refers to the usual example of a problem; a different example is written out. */
function shareExample(
  code: HttpErrorCode,
  route: Route,
  { examples }: Components,
): { value: unknown } | { $ref: string } {
  const example = { value: exampleOfProblem(code, route) }
  examples[code] ??= example
  const isSame = JSON.stringify(examples[code]) === JSON.stringify(example)
  return isSame ? { $ref: `#/components/examples/${code}` } : example
}

function listCodes(route: Route): Set<HttpErrorCode> {
  const codes = new Set<HttpErrorCode>(route.errors)
  if (route.scope !== undefined) for (const code of commonErrors) codes.add(code)
  if (route.bodySchema !== undefined || route.takesLines !== undefined)
    for (const code of bodyErrors) codes.add(code)
  if (route.takesForm) codes.delete('malformed_json')
  if (requestHeadersOf(route).length > 0) codes.add('header_invalid')
  if (route.asksHooks) for (const code of hookErrors) codes.add(code)
  if (takesIdempotencyKey(route)) {
    codes.add('idempotency_in_progress')
    codes.add('idempotency_key_reused')
  }
  // Every route refuses unknown query parameters, except those with public documents.
  const isDocument = route.scope === undefined
  if (!isDocument || route.pathSchema !== undefined) codes.add('validation_failed')
  return codes
}

/** The problem that the route actually sends. */
function exampleOfProblem(code: HttpErrorCode, route: Route): unknown {
  const error = createError(code, route)
  return JSON.parse(renderProblem(error, route.problemExtension?.(code)).body ?? 'null')
}

function createError(code: HttpErrorCode, route: Route): ClienteleError {
  if (code === 'validation_failed') return invalidInput([issueExample])
  const fault = bodyErrors.find((each) => each === code)
  return fault === undefined ? new ClienteleError(code) : createBodyError(fault, route)
}

import { ClienteleError } from '../base/errors.ts'
import type { Observation } from '../base/observe/observation.ts'
import { observeCall } from '../base/observe/observe-calls.ts'
import type { RequestEvent } from '../base/observe/observer.ts'
import type { HttpRequest, HttpResponse } from '../http/message.ts'
import { isHttpErrorCode } from '../http/problem-details.ts'
import type { GuardResult } from './guard-request.ts'

/** Facts about a request that become known while it is answered */
export interface RequestTrail {
  route: string | undefined
  operation: string | undefined
  accountId: string | undefined
  /** Why it was refused */
  error: unknown
}

/** RFC 9110 and RFC 5789. Callers can send any other word, so it must not become a label. */
const methods = new Set([
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'TRACE',
  'CONNECT',
])

/** Answers a request and reports it to the observers. */
export async function observeRequest(
  { request: tell, aroundRequest }: Observation,
  { method, headers }: HttpRequest,
  requestId: string,
  answer: (trail: RequestTrail) => Promise<HttpResponse>,
): Promise<HttpResponse> {
  const startedAt = performance.now()
  const trail: RequestTrail = {
    route: undefined,
    operation: undefined,
    accountId: undefined,
    error: undefined,
  }
  const known = methods.has(method) ? method : '_OTHER'
  const start = { requestId, method: known, startedAt }
  if (aroundRequest === undefined) {
    const response = await answer(trail)
    tell?.(describe(start, trail, response))
    return response
  }
  const { event, value } = await aroundRequest({ method: known, headers }, async () => {
    const response = await answer(trail)
    return { event: describe(start, trail, response), value: response }
  })
  tell?.(event)
  return value
}

function describe(
  { requestId, method, startedAt }: Pick<RequestEvent, 'requestId' | 'method' | 'startedAt'>,
  { operation, route, accountId, error }: RequestTrail,
  { status }: HttpResponse,
): RequestEvent {
  const code = error === undefined ? undefined : toProblemCode(error)
  const durationMs = performance.now() - startedAt
  return { requestId, operation, route, method, status, code, accountId, startedAt, durationMs }
}

/** Runs a guard and reports it as a call, because the route belongs to the host. */
export function observeGuard(
  observation: Observation | undefined,
  accountId: string | undefined,
  guard: () => Promise<GuardResult>,
): Promise<GuardResult> {
  if (observation?.call === undefined && observation?.aroundCall === undefined) return guard()
  return observeCall(observation, { name: 'guard', accountId }, guard, (result) =>
    'response' in result ? readProblemCode(result.response) : undefined,
  )
}

function toProblemCode(error: unknown): string {
  const isKnown = error instanceof ClienteleError && isHttpErrorCode(error.code)
  return isKnown ? error.code : 'internal_error'
}

function readProblemCode({ body }: HttpResponse): string | undefined {
  const { code } = JSON.parse(body ?? '{}')
  return typeof code === 'string' ? code : undefined
}

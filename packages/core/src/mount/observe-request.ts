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
  /** Whether the caller is authenticated */
  isAdmitted: boolean
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

/** A request that is being answered, as observers will hear of it */
export interface ObservedRequest {
  requestId: string
  method: string
  startedAt: number
  trail: RequestTrail
}

export function startRequest(
  { method }: Pick<HttpRequest, 'method'>,
  requestId: string,
): ObservedRequest {
  const startedAt = performance.now()
  const trail: RequestTrail = {
    route: undefined,
    operation: undefined,
    accountId: undefined,
    isAdmitted: false,
    error: undefined,
  }
  return { requestId, method: methods.has(method) ? method : '_OTHER', startedAt, trail }
}

/** Answers a request within the observers that want to run it. */
export async function observeAround(
  around: NonNullable<Observation['aroundRequest']>,
  { headers }: Pick<HttpRequest, 'headers'>,
  start: ObservedRequest,
  answer: () => Promise<HttpResponse>,
): Promise<HttpResponse> {
  const { value } = await around({ method: start.method, headers }, async () => {
    const response = await answer()
    return { event: describeRequest(start, response), value: response }
  })
  return value
}

/** What observers hear of an answered request */
export function describeRequest(
  { requestId, method, startedAt, trail }: ObservedRequest,
  { status }: HttpResponse,
): RequestEvent {
  const { operation, route, accountId, error } = trail
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

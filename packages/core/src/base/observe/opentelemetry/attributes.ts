import type { Attributes } from '@opentelemetry/api'
import type { CallEvent, QueryEvent, RequestEvent } from '../observer.ts'

/** The attributes that all spans and metrics share */
export interface Common {
  routePrefix: string
  urlScheme: string
  databaseSystem: string
}

/** The bounded attributes of a request, which can label a metric. */
export function describeRequest(
  { route, method, status, code }: RequestEvent,
  { routePrefix, urlScheme }: Common,
): Attributes {
  return {
    'http.request.method': method,
    'http.response.status_code': status,
    'url.scheme': urlScheme,
    ...(route !== undefined && { 'http.route': `${routePrefix}${route}` }),
    // By the conventions, an error of the caller (4xx) is no error of the server's span.
    ...(status >= 500 && { 'error.type': code ?? String(status) }),
  }
}

/** The attributes of one request, for its span only. */
export function identifyRequest({
  requestId,
  operation,
  code,
  accountId,
}: RequestEvent): Attributes {
  return {
    'clientele.request_id': requestId,
    ...(operation !== undefined && { 'clientele.operation': operation }),
    ...(code !== undefined && { 'clientele.problem': code }),
    ...(accountId !== undefined && { 'clientele.account_id': accountId }),
  }
}

export function describeCall({ name, code }: CallEvent): Attributes {
  return { 'clientele.method': name, ...(code !== undefined && { 'error.type': code }) }
}

export function describeQuery({ name, error }: QueryEvent, { databaseSystem }: Common): Attributes {
  return {
    'db.system.name': databaseSystem,
    'db.operation.name': name,
    ...(error !== undefined && { 'error.type': error }),
  }
}

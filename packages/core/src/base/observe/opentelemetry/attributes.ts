import type { Attributes } from '@opentelemetry/api'
import type { CallEvent, QueryEvent, RequestEvent } from '../observer.ts'

/** What is the same for all that a Clientele does */
export interface Common {
  routePrefix: string
  urlScheme: string
  databaseSystem: string
}

/** Of a request what is bounded: it can label a metric. */
export function describeRequest(
  { route, method, status, code }: RequestEvent,
  { routePrefix, urlScheme }: Common,
): Attributes {
  return {
    'http.request.method': method,
    'http.response.status_code': status,
    'url.scheme': urlScheme,
    ...(route !== undefined && { 'http.route': `${routePrefix}${route}` }),
    // By the conventions, what the caller did wrong is no error of the server.
    ...(status >= 500 && { 'error.type': code ?? String(status) }),
  }
}

/** What is known of one request, and is for a span alone. */
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

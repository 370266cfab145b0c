import { isRequestId } from '../base/call/call.ts'
import type { HttpRequest } from './message.ts'

interface RequestIdSettings {
  /** Whether the `X-Request-Id` of a request is used */
  trustsRequestIds: boolean
  newRequestId: () => string
}

/** The request's own id if the host trusts it and it is valid, otherwise a new one. */
export function readRequestId(
  { trustsRequestIds, newRequestId }: RequestIdSettings,
  { headers }: Pick<HttpRequest, 'headers'>,
): string {
  const given = trustsRequestIds ? headers['x-request-id'] : undefined
  return typeof given === 'string' && isRequestId(given) ? given : newRequestId()
}

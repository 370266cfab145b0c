import { isRequestId } from '../base/call/call.ts'
import type { HttpRequest } from './message.ts'

interface RequestIdSettings {
  /** Whether a request's own `X-Request-Id` is taken over */
  trustsRequestIds: boolean
  newRequestId: () => string
}

/** The id that the request brings, where the host trusts it and it can be one, else a new one. */
export function readRequestId(
  { trustsRequestIds, newRequestId }: RequestIdSettings,
  { headers }: Pick<HttpRequest, 'headers'>,
): string {
  const given = trustsRequestIds ? headers['x-request-id'] : undefined
  return typeof given === 'string' && isRequestId(given) ? given : newRequestId()
}

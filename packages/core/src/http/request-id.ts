import { isRequestId } from '../base/call/call.ts'
import type { Services } from '../clientele/services.ts'
import type { HttpRequest } from './message.ts'

/** The id that the request brings, where the host trusts it and it can be one, else a new one. */
export function readRequestId(
  { trustsRequestIds, newRequestId }: Services,
  { headers }: Pick<HttpRequest, 'headers'>,
): string {
  const given = trustsRequestIds ? headers['x-request-id'] : undefined
  return typeof given === 'string' && isRequestId(given) ? given : newRequestId()
}

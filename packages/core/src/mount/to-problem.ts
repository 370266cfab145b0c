import type { ClienteleError } from '../base/errors.ts'
import { createIdGenerator } from '../base/runtime/create-id-generator.ts'
import type { HttpResponse } from '../http/message.ts'
import { renderProblem } from '../http/problem-details.ts'
import { complete } from '../http/render.ts'

/** Names a response that was made outside of the core; a response of the core has its name already. */
export const newRequestId = createIdGenerator(Date.now)

/**
 * Converts an error to the response that Clientele's routes give (problem details, RFC 9457): for a host's own routes
 * that do not use Node's `ServerResponse`. An error without an HTTP status becomes `internal_error`.
 *
 * @example
 * const { status, headers, body } = toProblem(new ClienteleError('user_not_found'))
 * const response = new Response(body, { status, headers })
 */
export function toProblem(error: ClienteleError): HttpResponse {
  return complete(renderProblem(error), newRequestId())
}

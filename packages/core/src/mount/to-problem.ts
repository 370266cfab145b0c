import type { ClienteleError } from '../base/errors.ts'
import { createIdGenerator } from '../base/runtime/create-id-generator.ts'
import type { HttpResponse } from '../http/message.ts'
import { renderProblem } from '../http/problem-details.ts'
import { complete } from '../http/render.ts'

/** Names what is answered without the core; what the core answers has a name already. */
export const newRequestId = createIdGenerator(Date.now)

/**
 * Makes of an error the answer that Clientele's routes give (problem details, RFC 9457): for a host's own routes beside
 * them, where they answer with no `ServerResponse` of Node's. An error that is none of HTTP becomes `internal_error`.
 *
 * @example
 * const { status, headers, body } = toProblem(new ClienteleError('user_not_found'))
 * const response = new Response(body, { status, headers })
 */
export function toProblem(error: ClienteleError): HttpResponse {
  return complete(renderProblem(error), newRequestId())
}

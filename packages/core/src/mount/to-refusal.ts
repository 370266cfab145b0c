import { ClienteleError } from '../base/errors.ts'
import type { HttpResponse } from '../http/message.ts'
import { toProblem } from './to-problem.ts'

/**
 * For adapters: converts an error that one of the host's routes has not caught to the response that Clientele's routes give
 * (problem details, RFC 9457). Undefined: it is a fault (a status of 500 or more), or no error of Clientele's, and belongs
 * to the host's own error handler.
 *
 * @example const response = toRefusal(new ClienteleError('user_not_found')) // status 404
 */
export function toRefusal(error: unknown): HttpResponse | undefined {
  if (!(error instanceof ClienteleError) || (error.status ?? 500) >= 500) return undefined
  return toProblem(error)
}

/**
 * For adapters: makes the `toRefusal` of an error handler. The handler's factory takes no arguments: with some, it was passed
 * to the framework uncalled, and is called in the place of the handler.
 *
 * @throws ClienteleError `configuration_invalid`
 */
export function makeRefusals(given: readonly unknown[]): typeof toRefusal {
  if (given.length === 0) return toRefusal
  const message = 'clienteleErrors takes no arguments: write clienteleErrors().'
  throw new ClienteleError('configuration_invalid', message)
}

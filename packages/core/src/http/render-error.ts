import { ClienteleError } from '../base/errors.ts'
import type { Logger } from '../base/runtime/logger.ts'
import type { HttpResponse } from './message.ts'
import { isHttpErrorCode, renderProblem } from './problem-details.ts'
import type { Route } from './route.ts'

/** Makes the response of a thrown error. */
export type RenderError = (
  services: { logger: Logger },
  error: unknown,
  requestId: string,
  route?: Route,
) => HttpResponse

/** Converts a thrown error to problem details. An internal fault is logged in full, and its details are not sent. */
export function renderError(
  { logger }: { logger: Logger },
  error: unknown,
  requestId: string,
  route?: Route,
): HttpResponse {
  const known = toHttpError(logger, error, requestId, route)
  return renderProblem(known, route?.problemExtension?.(known.code))
}

/** The error that callers are told. A fault is logged in full, and becomes an `internal_error`. */
export function toHttpError(
  logger: Logger,
  error: unknown,
  requestId: string,
  route: Route | undefined,
): ClienteleError {
  const details = { error, requestId, operation: route?.id }
  if (error instanceof ClienteleError && isHttpErrorCode(error.code)) {
    // Its message names the storage.
    if (error.code === 'storage_unavailable') logger.error(details, error.message)
    return error
  }
  logger.error(details, 'A request failed.')
  return new ClienteleError('internal_error')
}

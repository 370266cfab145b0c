import { ClienteleError } from '../base/errors.ts'
import type { Logger } from '../base/runtime/logger.ts'
import type { HttpResponse } from './message.ts'
import { isHttpErrorCode, renderProblem } from './problem-details.ts'
import type { Route } from './route.ts'

/** Converts a thrown error to problem details. An internal fault is logged in full, and its details are not sent. */
export function renderError(
  { logger }: { logger: Logger },
  error: unknown,
  requestId: string,
  route?: Route,
): HttpResponse {
  const details = { error, requestId, operation: route?.id }
  if (error instanceof ClienteleError && isHttpErrorCode(error.code)) {
    // Its message names the storage.
    if (error.code === 'storage_unavailable') logger.error(details, error.message)
    return renderProblem(error, route?.problemExtension?.(error.code))
  }
  logger.error(details, 'A request failed.')
  return renderProblem(new ClienteleError('internal_error'))
}

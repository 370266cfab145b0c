import { ClienteleError } from '../base/errors.ts'
import type { Logger } from '../base/runtime/logger.ts'
import type { HttpResponse } from './message.ts'
import { isHttpErrorCode, renderProblem } from './problem-details.ts'
import type { Route } from './route.ts'

/** Turns whatever was thrown into problem details. A fault of ours is logged in full and told to nobody. */
export function renderError(
  { logger }: { logger: Logger },
  error: unknown,
  requestId: string,
  route?: Route,
): HttpResponse {
  const details = { error, requestId, operation: route?.id }
  if (error instanceof ClienteleError && isHttpErrorCode(error.code)) {
    // Its message says which storage it is.
    if (error.code === 'storage_unavailable') logger.error(details, error.message)
    return renderProblem(error, route?.problemExtension?.(error.code))
  }
  logger.error(details, 'A request failed.')
  return renderProblem(new ClienteleError('internal_error'))
}

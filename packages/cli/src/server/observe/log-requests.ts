import type { CreateObserver } from '@clientele/core'
import type { Logger } from 'pino'
import { redactText } from './redact.ts'

/** Writes a line for each request, without anything that the caller typed; none where the level leaves them out. */
export function logRequests(logger: Logger): CreateObserver {
  return () => {
    if (!logger.isLevelEnabled('info')) return {}
    // Of a line only the request's id can be what somebody typed. To look through all of it costs more than to write it.
    const lines = logger.child({}, { formatters: { log: (line) => line } })
    return {
      request: ({ requestId, method, route, operation, status, durationMs, code, accountId }) =>
        lines.info(
          {
            requestId: redactText(requestId),
            method,
            route,
            operation,
            status,
            milliseconds: Math.round(durationMs * 1000) / 1000,
            ...(code !== undefined && { code }),
            ...(accountId !== undefined && { accountId }),
          },
          'A request was answered.',
        ),
    }
  }
}

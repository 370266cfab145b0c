import type { CreateObserver } from '@clientele/core'
import type { Logger } from 'pino'

/** Writes a line for each request, without anything that the caller typed; none where the level leaves them out. */
export function logRequests(logger: Logger): CreateObserver {
  return () => {
    if (!logger.isLevelEnabled('info')) return {}
    // No member of a line is what somebody typed: to look through each of them would cost as much as to write it.
    const lines = logger.child({}, { formatters: { log: (line) => line } })
    return {
      request: ({ requestId, method, route, operation, status, durationMs, code, accountId }) =>
        lines.info(
          {
            requestId,
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

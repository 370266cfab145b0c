import type { CreateObserver } from '@clientele/core'
import { createLogger } from '../create-logger.ts'
import type { LogLevel } from '../settings/setting-table.ts'
import { redactText } from './redact.ts'

/** An id of ours, and nothing that somebody typed */
const isUuid = /^[0-9a-f-]{36}$/

/** Writes a line for each request, without anything that the caller typed; none where the level leaves them out. */
export function logRequests(level: LogLevel): CreateObserver {
  return () => {
    // Of a line only the request's id can be what somebody typed. To look through all of it costs more than to write it.
    const logger = createLogger(level, { hidesSecrets: false, isBuffered: true })
    if (!logger.isLevelEnabled('info')) return {}
    return {
      request: ({ requestId, method, route, operation, status, durationMs, code, accountId }) =>
        logger.info(
          {
            requestId: isUuid.test(requestId) ? requestId : redactText(requestId),
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

import { type Logger, pino } from 'pino'
import type { LogLevel } from '../settings/setting-table.ts'
import { openStandardError } from '../standard-error.ts'
import { redact } from './redact.ts'

/**
 * Writes lines of JSON to standard error, without secrets and e-mail addresses.
 *
 * @param options.hidesSecrets `false` for a log with mails, whose codes a developer wants to read
 */
export function createLogger(level: LogLevel, { hidesSecrets = true } = {}): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: {
        level: (label) => ({ level: label }),
        ...(hidesSecrets && { log: (details) => redact(details) as Record<string, unknown> }), // an object's copy is one
      },
      messageKey: 'message',
      serializers: {
        error: (error: Error) => {
          const described = pino.stdSerializers.errWithCause(error)
          return hidesSecrets ? redact({ ...described }) : described
        },
      },
    },
    openStandardError(),
  )
}

import { type Logger, pino } from 'pino'
import type { Settings } from '../settings/setting-table.ts'
import { openLog } from './open-log.ts'
import { redact } from './redact.ts'

/**
 * Writes lines to standard error, without secrets and e-mail addresses.
 *
 * @param options.hidesSecrets `false` for a log with mails, whose codes a developer wants to read
 */
export function createLogger(
  { logLevel: level, logFormat }: Pick<Settings, 'logLevel' | 'logFormat'>,
  { hidesSecrets = true } = {},
): Logger {
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
    openLog(logFormat),
  )
}
